/** What people get wrong who come from later versions of Move, from other languages, or in a hurry; and what they are told. */
import { describe, expect, it } from 'vitest';
import { EngineError } from '../../src/base/error.ts';
import { compileSources } from '../../src/compile/index.ts';

/** The message about a source that does not compile. */
function told(text: string): string {
  try {
    compileSources({ 'm.move': text }, { addresses: { me: '0x42' } });
  } catch (error) {
    if (error instanceof EngineError && error.code === 'compile-failed') return error.message;
    throw error;
  }
  throw new Error('it compiles');
}

describe('a form of another version or language is met with the one that is meant', () => {
  it.each([
    ['fun f(v: vector<u64>): u64 { v.length() }', 'as `vector::length(&v)`'],
    ['fun f(x: u64): u64 { x += 1; x }', 'write `x = x + 1`'],
    ['fun f(): u64 { let mut x = 1; x }', 'leave `mut` out'],
    ['public enum Color { Red }', 'there are no enums'],
    ['fun f(x: u64): u64 { match (x) { 0 => 1, _ => 2 } }', 'there is no `match`'],
    ['fun f() { for (i in 0..3) {} }', 'there is no `for`'],
    ['macro fun f() {}', 'write `inline fun`'],
    ['fun f(x: u64): u8 { x as u8 }', 'a cast stands in parentheses'],
    ['fun f() { abort }', '`abort` takes a code'],
    ['fun f(): u64 { -1 }', 'there are no negative numbers'],
    ['struct Pair(u64, u64) has drop;', 'fields have names'],
    ['struct P has drop { x: u64 } fun f(p: P) { let P { .. } = p; }', 'name every field'],
    ['public(package) fun f() {}', 'write `public(friend)`'],
    ['fun f(): vector<u8> { "hello" }', 'bytes are written b"hello"'],
    ['function f() {}', 'a function begins with `fun`'],
    ['fun f(x: u64) { assert!(x > 1); }', 'add a code to abort with'],
    ['fun f(v: vector<u64>): u64 { v[0] }', 'write `vector::borrow(&a, i)`'],
  ])('%s', (member, note) => {
    expect(told(`module me::m { ${member} }`)).toContain(note);
  });
});

describe('what is missing is named', () => {
  it.each([
    ['pubic fun f() {}', "did you mean 'public'?"],
    ['fun f(): u64 { vector::length(&vector[1]) }', 'add `use std::vector;`'],
    ['struct A has key { name: String }', 'add `use std::ascii::String;` or `use std::string::String;`'],
    ['fun f(o: &Object<u8>) {}', 'add `use moveos_std::object::Object;`'],
    ['fun g(x: std::string::String) {} fun f() { g(b"a") }', '`std::string::utf8(..)` makes a String'],
    ['fun f(a: u64, b: u8): bool { a > b }', "`(x as u64)` makes a 'u64' of it"],
    ['fun f(a: u64): u64 { a + 1; }', "if no ';' follows"],
    ['fun f(a: bool): u64 { let x = if (a) 1; x }', 'only with `else`'],
    ['fun f(v: vector<u64>): u64 { std::vector::length(v) }', 'put `&` before it'],
    ['fun f(x: &u64): u64 { x }', '`*` before it copies the value'],
    ['struct S has drop { x: u64 } fun f(s: &S) { s.x = 1; }', '`object::borrow_mut`'],
    ['fun f() { 1 }', "a ';' after the expression drops its value"],
  ])('%s', (member, note) => {
    expect(told(`module me::m { ${member} }`)).toContain(note);
  });

  it('once: further uses of a type or module that is missing only count', () => {
    const text = told('module me::m { fun f(a: Foo): Foo { g::h(); g::i(a) } fun k(_a: Foo) {} }');
    expect(text.match(/^error.*/gm)).toEqual(['error[E03004]: no such type', 'error[E03002]: no such module']);
    expect(text).toMatch(/\n2 errors, and 3 more that follow from them$/);
    const use = told('module me::m { use std::nothing::{Self, S, f}; fun g(s: S) { f(s); nothing::h() } }');
    expect(use).toMatch(/there is no module std::nothing\n[\s\S]*\n1 error, and 3 more that follow from them$/);
  });

  it('a semicolon, where it is missing and not where the next line begins', () => {
    expect(told('module me::m {\n  fun f() {\n    let x = 1\n    let y = 2;\n  }\n}')).toContain(
      "  3 |     let x = 1\n    |              - a ';' is missing here\n  4 |     let y = 2;\n    |     ^^^ expected ';', got 'let'",
    );
  });

  it('a brace, where the block began', () => {
    expect(told('module me::m {\n  fun f(x: u64) {\n    if (x > 1) {\n      x = 2;\n  }\n  fun g() {}\n}')).toMatch(
      /2 \| {3}fun f\(x: u64\) \{\n.*- this '\{' is not closed\n/,
    );
    expect(told('module me::m {\n  fun f() {}\n')).toMatch(/1 \| module me::m \{\n.*- this '\{' is not closed/);
  });

  it('the end of a comment', () => {
    expect(told('module me::m {\n  /* oops\n}')).toMatch(/^warning\[W01004\]: comment without an end$/m);
  });
});
