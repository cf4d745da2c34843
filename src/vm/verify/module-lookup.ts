/**
 * How checks that look beyond one module find the others.
 * @module
 */
import type { Binary, Module } from '../binary/module.ts';
import { idOfModuleHandle, type ModuleId } from '../module-id.ts';

/** The module of that name, or `undefined` if there is none. */
export type ModuleLookup = (id: ModuleId) => Module | undefined;

/** The module's own name. */
export function selfIdOf(module: Module): ModuleId {
  return idOfModuleHandle(module, module.moduleHandles[module.selfHandle]!);
}

/** The modules that a binary names, itself excluded, in the order of their handles. */
export function dependenciesOf(binary: Binary): ModuleId[] {
  const self = binary.kind === 'module' ? binary.selfHandle : -1;
  return binary.moduleHandles.filter((_, index) => index !== self).map((handle) => idOfModuleHandle(binary, handle));
}

export function friendsOf(module: Module): ModuleId[] {
  return module.friends.map((friend) => idOfModuleHandle(module, friend));
}
