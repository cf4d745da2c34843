"""A node without a port, from any language. docs/stdio.md goes through this file: python3 examples/stdio.py"""

import json
import pathlib
import subprocess

# In a project that has installed the package, ["npx", "movelet"] works as well.
MOVELET = ["node", str(pathlib.Path(__file__).parents[1] / "dist" / "cli.js")]


class Node:
    """A chain in a child process. It ends when this process does, however that happens: no port, no orphan."""

    def __init__(self, *arguments):
        command = [*MOVELET, "stdio", *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.requests = 0
        self.told = []

    def call(self, method, *params):
        """One message per line, both ways. A message that answers no request is a subscription's notification."""
        self.requests += 1
        request = {"jsonrpc": "2.0", "id": self.requests, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("the node has ended; it said why on standard error")
            message = json.loads(line)
            if "method" in message:
                # Of a result, of a revert, or of an error that ends the subscription.
                self.told.append(message["params"])
            elif "error" in message:
                raise RuntimeError(message["error"]["message"])
            else:
                return message["result"]

    def close(self):
        """When its input ends, the node answers what is in flight and ends too."""
        self.process.stdin.close()
        return self.process.wait()


node = Node()
alice, bob = [account["address"] for account in node.call("dev_accounts")][:2]

# Notifies of every transaction from now on, over the same pipe.
node.call("rooch_subscribeTransactions", "all")

# The module's bytes in hexadecimal.
with open(pathlib.Path(__file__).parent / "counter" / "counter.mv", "rb") as file:
    node.call("dev_publish", alice, ["0x" + file.read().hex()])

# As any account, without a key. Arguments are JSON, encoded by the Move types of the parameters; an object is given by
# its id, or by its type if it is a named object.
add = {"function_id": f"{alice}::counter::add", "arguments": [f"{alice}::counter::Counter", "7"]}
executed = node.call("dev_call", bob, add, {"withOutput": True, "decode": True})
added = next(event for event in executed["output"]["events"] if event["event_type"].endswith("::counter::Added"))
assert added["decoded_event_data"]["value"] == {"by": bob, "amount": "7", "value": "7"}, added

# Once a write is answered, it can be read.
value = node.call("rooch_executeViewFunction", {"function_id": f"{alice}::counter::value", "ty_args": [], "args": []})
assert value["return_values"][0]["decoded_value"] == "7", value

print(executed["execution_info"]["status"]["type"], [told["result"]["execution_info"]["gas_used"] for told in node.told])
assert len(node.told) == 2
assert node.close() == 0
