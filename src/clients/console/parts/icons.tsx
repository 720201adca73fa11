/** Icons as lines of a 16 × 16 field; they say nothing by themselves: what stands beside them, or a label, does. */

const PATHS = {
  home: 'M2.5 7 8 2.5 13.5 7v6.5h-4v-4h-3v4h-4z',
  ask: 'M2.5 3h11v8H8l-3.5 2.5V11h-2zM5.5 6h5M5.5 8.2h3',
  bench: 'M3 13.5v-7M8 13.5v-11M13 13.5v-4',
  query: 'M2.5 3h11v10h-11zM5 6l2 2-2 2M8.5 10H11',
  collections: 'M2.5 3h11v10h-11zM2.5 6.3h11M2.5 9.6h11M6.5 6.3V13',
  datasets: 'M4 2.5h5.5L12.5 5.5v8H4zM9.5 2.5v3h3M6 8.5h4.5M6 10.8h4.5',
  keys: 'M10.5 8.500a3.500 3.500 0 1 0-3-1.700L2.500 11.800v1.700h2.300v-1.600h1.600v-1.600L8 8.700M11.300 4.700h.01',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  copy: 'M5.5 5.5h8v8h-8zM3 10.5h-.5v-8h8V3',
  check: 'M3 8.5l3.2 3.2L13 4.8',
  /** Room of an icon, where others have one. */
  blank: '',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  next: 'M6 3.5 10.5 8 6 12.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  up: 'M3.5 10 8 5.5 12.5 10',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  back: 'M10 3.5 5.5 8l4.5 4.5',
  upload: 'M8 10.5v-8M4.8 5.5 8 2.3l3.2 3.2M2.5 10.5v3h11v-3',
  download: 'M8 2.5v8M4.8 7.3 8 10.5l3.2-3.2M2.5 10.5v3h11v-3',
  run: 'M4.5 3v10l8-5z',
  stop: 'M4 4h8v8H4z',
  again: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.6h-2.6',
  light:
    'M8 10.8A2.8 2.8 0 1 0 8 5.2a2.8 2.8 0 0 0 0 5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9',
  help: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.3 6.3A1.8 1.8 0 1 1 8 8.3v1M8 11.4h.01',
  person: 'M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8zM3 13.5c.4-2.6 2.4-3.8 5-3.8s4.600 1.200 5 3.800',
  bin: 'M3 4.500h10M6.500 4.500v-2h3v2M4.500 4.500l.6 9h5.800l.6-9M7 7v4M9 7v4',
  warn: 'M8 2.500 14 13.500H2zM8 6.500v3.200M8 11.700h.01',
  chart: 'M2.500 13.500h11M2.500 2.500v11M5 10.500l3-3.500 2 2 3.500-4.500',
  bookmark: 'M4.500 2.500h7v11L8 10.500l-3.500 3z',
  history: 'M3 8a5 5 0 1 0 1.600-3.700M3 2.500v2.600h2.600M8 5.300V8l2 1.300',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" fill="none" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        stroke="currentColor"
        strokeWidth="1.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
