/** Wishes of who uses this browser, kept by it. */
import { useState } from 'react';

/** @returns true or false, and how to change it. */
export function useKeptFlag(name: string, otherwise: boolean): readonly [boolean, (value: boolean) => void] {
  const key = `quern.${name}`;
  const [value, setValue] = useState(() => {
    const kept = localStorage.getItem(key);
    return kept === null ? otherwise : kept === 'on';
  });
  return [
    value,
    (next) => {
      localStorage.setItem(key, next ? 'on' : 'off');
      setValue(next);
    },
  ];
}

/** True when keys of one letter or digit do something. */
export const areSinglesOn = (): boolean => localStorage.getItem('quern.single-keys') !== 'off';
