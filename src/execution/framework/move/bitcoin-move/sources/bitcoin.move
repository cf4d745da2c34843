/// Blocks and transactions of Bitcoin that the chain knows, in one shared object, and how they change the state.
module bitcoin_move::bitcoin {
    use std::option::{Self, Option};
    use std::vector;
    use moveos_std::bcs;
    use moveos_std::event;
    use moveos_std::object::{Self, Object};
    use moveos_std::signer;
    use moveos_std::simple_multimap::{Self, SimpleMultiMap};
    use moveos_std::table::{Self, Table};
    use moveos_std::table_vec::{Self, TableVec};
    use moveos_std::timestamp;
    use rooch_framework::address_mapping;
    use rooch_framework::chain_id;
    use bitcoin_move::bbn;
    use bitcoin_move::inscription_updater;
    use bitcoin_move::merkle_proof;
    use bitcoin_move::network;
    use bitcoin_move::pending_block::{Self, PendingBlock};
    use bitcoin_move::script_buf;
    use bitcoin_move::types::{Self, Block, BlockHeightHash, Header, MerkleProof, OutPoint, Transaction};
    use bitcoin_move::utxo::{Self, UTXO, UTXOSeal};

    friend bitcoin_move::genesis;

    /// A proof that does not lead to the block's root.
    const ErrorBlockProcessError: u64 = 1;
    /// Another block of a height that is settled.
    const ErrorReorgTooDeep: u64 = 3;
    /// A spent output that is not known, on the main network.
    const ErrorUTXONotExists: u64 = 4;
    /// A block that is not known.
    const ErrorBlockNotFound: u64 = 5;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorBlockAlreadyProcessed: u64 = 2;

    /// From this height on a miner's transaction holds the height, so that no two have one number (BIP-34).
    const BIP_34_HEIGHT: u64 = 227835;
    /// From this height on the main network does not follow inscriptions.
    const ORDINALS_PAUSE_HEIGHT: u64 = 859001;

    /// A spent output was not known.
    struct UTXONotExistsEvent has copy, drop {
        outpoint: OutPoint,
    }

    /// A miner's transaction has the number of one before; its output takes the place of the other's.
    struct RepeatCoinbaseTxEvent has copy, drop {
        txid: address,
        vout: u32,
        block_height: u64,
    }

    /// A proof that a block holds a transaction was good.
    struct TxVerifiedEvent has copy, drop {
        block_hash: address,
        txid: address,
    }

    struct BitcoinBlockStore has key {
        genesis_block: BlockHeightHash,
        latest_block: Option<BlockHeightHash>,
        blocks: Table<address, Header>,
        height_to_hash: Table<u64, address>,
        hash_to_height: Table<address, u64>,
        txs: Table<address, Transaction>,
        tx_to_height: Table<address, u64>,
        tx_ids: TableVec<address>,
    }

    /// Makes the object of a chain that follows Bitcoin from a block on.
    public(friend) fun genesis_init(
        _genesis_account: &signer,
        genesis_block_height: u64,
        genesis_block_hash: address
    ) {
        object::to_shared(object::new_named_object(BitcoinBlockStore {
            genesis_block: types::new_block_height_hash(genesis_block_height, genesis_block_hash),
            latest_block: option::none(),
            blocks: table::new(),
            height_to_hash: table::new(),
            hash_to_height: table::new(),
            txs: table::new(),
            tx_to_height: table::new(),
            tx_ids: table_vec::new(),
        }));
    }

    // -------------------------------------------------------------------------------------------------- what is known

    /// A transaction by its number.
    public fun get_tx(txid: address): Option<Transaction> {
        find(&borrow_store().txs, txid)
    }

    /// The height of a transaction's block.
    public fun get_tx_height(txid: address): Option<u64> {
        find(&borrow_store().tx_to_height, txid)
    }

    /// A block's header.
    public fun get_block(block_hash: address): Option<Header> {
        find(&borrow_store().blocks, block_hash)
    }

    /// A block's height.
    public fun get_block_height(block_hash: address): Option<u64> {
        find(&borrow_store().hash_to_height, block_hash)
    }

    /// The hash of the block of a height.
    public fun get_block_hash_by_height(block_height: u64): Option<address> {
        find(&borrow_store().height_to_hash, block_height)
    }

    /// The header of the block of a height.
    public fun get_block_by_height(block_height: u64): Option<Header> {
        let hash = get_block_hash_by_height(block_height);
        if (option::is_none(&hash)) option::none()
        else option::some(*table::borrow(&borrow_store().blocks, option::destroy_some(hash)))
    }

    /// The block that the chain follows Bitcoin from.
    public fun get_genesis_block(): BlockHeightHash {
        borrow_store().genesis_block
    }

    /// The last settled block.
    public fun get_latest_block(): Option<BlockHeightHash> {
        borrow_store().latest_block
    }

    /// The time of the last settled block in seconds; of the chain itself as long as there is none.
    public fun get_bitcoin_time(): u32 {
        let latest = get_latest_block();
        if (option::is_none(&latest)) return (timestamp::now_seconds() as u32);
        let (_, hash) = types::unpack_block_height_hash(option::destroy_some(latest));
        types::time(table::borrow(&borrow_store().blocks, hash))
    }

    /// Whether a block is known.
    public fun contains_header(block_header: &Header): bool {
        table::contains(&borrow_store().blocks, types::header_to_hash(block_header))
    }

    /// Whether a transaction is known.
    public fun exist_l1_tx(tx_hash: address): bool {
        table::contains(&borrow_store().txs, tx_hash)
    }

    /// Checks that a known block holds a transaction, and tells so in an event. The transaction's number is taken from
    /// what is given, not computed.
    public entry fun submit_tx_with_proof(block_hash: address, tx_bytes: vector<u8>, proof_bytes: vector<u8>) {
        let txid = types::tx_id(&bcs::from_bytes<Transaction>(tx_bytes));
        let proof = bcs::from_bytes<MerkleProof>(proof_bytes);
        let header = get_block(block_hash);
        assert!(option::is_some(&header), ErrorBlockNotFound);
        let root = types::merkle_root(option::borrow(&header));
        assert!(merkle_proof::verify_merkle_proof(txid, root, &proof), ErrorBlockProcessError);
        event::emit(TxVerifiedEvent { block_hash, txid });
    }

    // ----------------------------------------------------------------------------------------------- what is executed

    /// Takes a block in: its header waits until enough blocks follow. The block that waited long enough is settled,
    /// and moves the chain's clock, except on the test network.
    fun execute_l1_block(block_height: u64, block_hash: address, block_bytes: vector<u8>) {
        let (header, _) = types::unpack_block(bcs::from_bytes<Block>(block_bytes));
        pending_block::add_pending_block_header_only(block_height, block_hash, header);
        let ready = pending_block::pop_ready_pending_block_header();
        if (option::is_none(&ready)) return;
        let (height, hash, header) = pending_block::unpack_ready_pending_block_header(option::destroy_some(ready));
        settle(borrow_store_mut(), height, hash, header);
        if (!chain_id::is_test()) {
            let system = signer::module_signer<BitcoinBlockStore>();
            let seconds = (types::time(&header) as u64);
            timestamp::try_update_global_time(&system, timestamp::seconds_to_milliseconds(seconds));
        }
    }

    /// Executes a transaction of a block that waited long enough. The miner's comes last and settles the block.
    fun execute_l1_tx(block_hash: address, txid: address) {
        let inprocess = pending_block::process_pending_tx(block_hash, txid);
        let height = pending_block::inprocess_block_height(&inprocess);
        let tx = *pending_block::inprocess_block_tx(&inprocess);
        let is_coinbase = types::is_coinbase_tx(&tx);
        let block = pending_block::inprocess_block_pending_block(&mut inprocess);
        let is_repeated = move_outputs(height, block, &tx, is_coinbase);
        let store = borrow_store_mut();
        if (is_repeated) {
            table::upsert(&mut store.txs, txid, tx);
            table::upsert(&mut store.tx_to_height, txid, height);
        } else {
            table::add(&mut store.txs, txid, tx);
            table::add(&mut store.tx_to_height, txid, height);
        };
        table_vec::push_back(&mut store.tx_ids, txid);
        if (bbn::is_possible_bbn_transaction(height, &tx)) bbn::process_bbn_transaction(height, &tx);
        if (is_coinbase) {
            let header = pending_block::finish_pending_block(inprocess);
            settle(borrow_store_mut(), height, block_hash, header);
        } else {
            pending_block::finish_pending_tx(inprocess);
        }
    }

    /// Spends a transaction's inputs, moves inscriptions, and makes its outputs. Gives whether one of them took the
    /// place of another.
    fun move_outputs(
        height: u64,
        block: &mut Object<PendingBlock>,
        tx: &Transaction,
        is_coinbase: bool
    ): bool {
        let (spent, sender) = spend(tx);
        let seals = simple_multimap::new<u32, UTXOSeal>();
        let paused = height >= ORDINALS_PAUSE_HEIGHT && network::is_mainnet() && chain_id::is_main();
        if (!paused) {
            vector::for_each(inscription_updater::process_tx(block, tx, &mut spent), |out| {
                let (vout, seal) = utxo::unpack_seal_out(out);
                simple_multimap::add(&mut seals, vout, seal);
            });
        };
        let is_repeated = make_outputs(tx, is_coinbase, &seals, height, sender);
        vector::for_each(spent, |utxo| {
            bbn::on_utxo_spend(&mut utxo);
            utxo::drop(utxo);
        });
        is_repeated
    }

    /// Ends the outputs that a transaction spends; gives them, and the first owner of one that pays to an address. One
    /// that is not known counts as one of no satoshis, but on the main network.
    fun spend(tx: &Transaction): (vector<UTXO>, Option<address>) {
        let inputs = types::tx_input(tx);
        let spent = vector[];
        let sender = option::none();
        let i = 0;
        while (i < vector::length(inputs)) {
            let outpoint = *types::txin_previous_output(vector::borrow(inputs, i));
            i = i + 1;
            if (types::is_null_outpoint(&outpoint)) continue;
            if (utxo::exists_utxo(outpoint)) {
                let utxo_obj = utxo::take(utxo::derive_utxo_id(outpoint));
                let owner = object::owner(&utxo_obj);
                if (option::is_none(&sender) && owner != @bitcoin_move) sender = option::some(owner);
                vector::push_back(&mut spent, utxo::remove(utxo_obj));
            } else {
                event::emit(UTXONotExistsEvent { outpoint });
                assert!(!utxo::check_utxo_input(), ErrorUTXONotExists);
                vector::push_back(&mut spent, utxo::mock_utxo(outpoint, 0));
            }
        };
        (spent, sender)
    }

    /// Makes a transaction's outputs that can be spent, with their seals, and binds their addresses.
    fun make_outputs(
        tx: &Transaction,
        is_coinbase: bool,
        seals: &SimpleMultiMap<u32, UTXOSeal>,
        height: u64,
        sender: Option<address>
    ): bool {
        let txid = types::tx_id(tx);
        let outputs = types::tx_output(tx);
        let may_repeat = is_coinbase && (height < BIP_34_HEIGHT || !network::is_mainnet());
        let system = signer::module_signer<BitcoinBlockStore>();
        let is_repeated = false;
        let i = 0;
        while (i < vector::length(outputs)) {
            let output = vector::borrow(outputs, i);
            let vout = (i as u32);
            i = i + 1;
            if (may_repeat) {
                let utxo_id = utxo::derive_utxo_id(types::new_outpoint(txid, vout));
                if (object::exists_object(utxo_id)) {
                    utxo::drop(utxo::remove(utxo::take(utxo_id)));
                    event::emit(RepeatCoinbaseTxEvent { txid, vout, block_height: height });
                    is_repeated = true;
                }
            };
            if (script_buf::is_op_return(types::txout_script_pubkey(output))) continue;
            let utxo_obj = utxo::new(txid, vout, types::txout_value(output));
            if (simple_multimap::contains_key(seals, &vout)) {
                let utxo = object::borrow_mut(&mut utxo_obj);
                vector::for_each(*simple_multimap::borrow(seals, &vout), |seal| utxo::add_seal_internal(utxo, seal));
            };
            let receiver = types::txout_object_address(output);
            utxo::transfer(utxo_obj, sender, receiver);
            let bitcoin_address = types::txout_address(output);
            if (option::is_some(&bitcoin_address)) {
                let bitcoin_address = option::destroy_some(bitcoin_address);
                address_mapping::bind_bitcoin_address_by_system(&system, receiver, bitcoin_address);
            }
        };
        is_repeated
    }

    /// Makes a block the last settled one, unless it is settled already.
    fun settle(store: &mut BitcoinBlockStore, height: u64, hash: address, header: Header) {
        if (table::contains(&store.hash_to_height, hash)) return;
        assert!(!table::contains(&store.height_to_hash, height), ErrorReorgTooDeep);
        table::add(&mut store.height_to_hash, height, hash);
        table::add(&mut store.hash_to_height, hash, height);
        table::add(&mut store.blocks, hash, header);
        store.latest_block = option::some(types::new_block_height_hash(height, hash));
    }

    fun find<K: copy + drop + store, V: copy + store>(table: &Table<K, V>, key: K): Option<V> {
        if (table::contains(table, key)) option::some(*table::borrow(table, key)) else option::none()
    }

    fun borrow_store(): &BitcoinBlockStore {
        object::borrow(object::borrow_object<BitcoinBlockStore>(object::named_object_id<BitcoinBlockStore>()))
    }

    fun borrow_store_mut(): &mut BitcoinBlockStore {
        let id = object::named_object_id<BitcoinBlockStore>();
        object::borrow_mut(object::borrow_mut_object_shared<BitcoinBlockStore>(id))
    }

    // ---- for tests alone ----

    #[test_only]
    /// Takes a block in, as `execute_l1_block` does.
    public fun execute_l1_block_for_test(block_height: u64, block: Block) {
        execute_l1_block(block_height, types::header_to_hash(types::header(&block)), bcs::to_bytes(&block));
    }

    #[test_only]
    /// Makes a block the last settled one. There need be no such block.
    public fun add_latest_block(block_height: u64, block_hash: address) {
        borrow_store_mut().latest_block = option::some(types::new_block_height_hash(block_height, block_hash));
    }
}
