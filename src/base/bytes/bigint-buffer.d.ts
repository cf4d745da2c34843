// The package declares types for its main entry only; this is the pure JavaScript one.
declare module 'bigint-buffer/dist/browser.js' {
  const entry: {
    toBigIntLE(bytes: Buffer): bigint;
    toBufferLE(value: bigint, width: number): Buffer;
  };
  export default entry;
}
