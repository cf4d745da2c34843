declare module '*/local-genesis.js' {
  const base64: string;
  export default base64;
}
