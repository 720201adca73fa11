/** Names of a segment's sections. */
import type { StructureKind } from '../../../index/structure.ts';

export const columnSection = (attribute: number, part: 'values' | 'offsets' | 'nulls'): string =>
  `column/${attribute}/${part}`;

/** Ascending 32-bit numbers. */
export const isOffsets = (name: string): boolean => /^column\/\d+\/offsets$/.test(name);

export const keySection = (id: string, part: 'names' | 'slots'): string => `key/${id}/${part}`;

export const structureSection = (index: number, kind: StructureKind, name: string): string =>
  `structure/${index}/${kind}/${name}`;
