/** Modules whose structs JSON and CBOR know, as small as they can be. */

/** For `NativeWorld`: texts of the modules. */
export const DATA_MODULES: readonly string[] = [
  'module 0x1::string\nstruct String has copy, drop, store { bytes: vector<u8> }',
  'module 0x1::ascii\nstruct String has copy, drop, store { bytes: vector<u8> }',
  'module 0x1::option\nstruct Option<T> has copy, drop, store { vec: vector<T> }',
  'module 0x2::object\nstruct ObjectID has copy, drop, store { path: vector<address> }',
  'module 0x2::decimal_value\nstruct DecimalValue has copy, drop, store { value: u256, decimal: u8 }',
  `module 0x2::simple_map
   struct Element<K, V> has copy, drop, store { key: K, value: V }
   struct SimpleMap<K, V> has copy, drop, store { data: vector<Element<K, V>> }`,
];

/** Declarations of their structs, for a module that uses them. */
export const DATA_EXTERNS = `extern 0x1::string { struct String has copy, drop, store }
  extern 0x1::ascii { struct String has copy, drop, store }
  extern 0x1::option { struct Option<T> has copy, drop, store }
  extern 0x2::object { struct ObjectID has copy, drop, store }
  extern 0x2::decimal_value { struct DecimalValue has copy, drop, store }
  extern 0x2::simple_map { struct SimpleMap<K, V> has copy, drop, store }`;
