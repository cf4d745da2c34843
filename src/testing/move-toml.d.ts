/** What tests import if their configuration has the plugin of `movelet/vitest-plugin`. */
declare module '*/Move.toml' {
  const built: import('../compile/compile.js').CompiledPackage;
  export default built;
}
