/** The pages, one row each: the rail, the palette, the keys after `g` and the routes are made of it. */
import type { ComponentType } from 'react';
import type { IconName } from './parts/icons.tsx';
import { WORDS } from './words.ts';

export interface PageRow {
  /** First part of its address; what is below it is its own. */
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  /** After `g`. */
  readonly letter: string;
  /** In the bar of a small screen, which has room for five. */
  readonly isInBar: boolean;
  readonly load: () => Promise<{ readonly Component: ComponentType }>;
}

const { pages } = WORDS;

export const PAGES: readonly PageRow[] = [
  {
    path: '',
    name: pages.home,
    icon: 'home',
    letter: 'h',
    isInBar: true,
    load: () => import('./pages/home/home.tsx'),
  },
  {
    path: 'ask',
    name: pages.ask,
    icon: 'ask',
    letter: 'a',
    isInBar: true,
    load: () => import('./pages/ask/ask.tsx'),
  },
  {
    path: 'bench',
    name: pages.bench,
    icon: 'bench',
    letter: 'b',
    isInBar: false,
    load: () => import('./pages/bench/bench.tsx'),
  },
  {
    path: 'query',
    name: pages.query,
    icon: 'query',
    letter: 'q',
    isInBar: false,
    load: () => import('./pages/query/query.tsx'),
  },
  {
    path: 'collections',
    name: pages.collections,
    icon: 'collections',
    letter: 'c',
    isInBar: true,
    load: () => import('./pages/collections/collections.tsx'),
  },
  {
    path: 'datasets',
    name: pages.datasets,
    icon: 'datasets',
    letter: 'd',
    isInBar: true,
    load: () => import('./pages/datasets/datasets.tsx'),
  },
  {
    path: 'keys',
    name: pages.keys,
    icon: 'keys',
    letter: 'k',
    isInBar: false,
    load: () => import('./pages/keys/keys.tsx'),
  },
];
