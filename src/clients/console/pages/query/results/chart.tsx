/** A result as a chart. Loaded when asked for; labels are drawn, never markup. */
import { BarChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { useEffect, useMemo, useRef, useState } from 'react';
import { isNumberType } from '../../../grid/cell-text.ts';
import { Empty } from '../../../parts/states.tsx';
import { Select } from '../../../parts/select.tsx';
import type { Column, Json, Row } from '../../../server/messages.ts';
import { useShownTheme } from '../../../shell/theme.ts';
import { WORDS } from '../../../words.ts';
import { histogram } from './histogram.ts';
import styles from '../query.module.css';

use([BarChart, LineChart, ScatterChart, GridComponent, LegendComponent, TooltipComponent, CanvasRenderer]);

const { chart: words } = WORDS.query;

type Kind = 'line' | 'bar' | 'scatter' | 'histogram';

const KINDS: readonly Kind[] = ['line', 'bar', 'scatter', 'histogram'];
const POINTS_MAX = 20_000;

/** A token as a colour: a canvas knows nothing of `light-dark()`. */
function colour(name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

interface ChartProps {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

const asNumber = (value: Json | undefined): number | null => {
  const number = value == null ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : null;
};

export function Chart({ columns, rows }: ChartProps) {
  const numbers = columns.flatMap(({ type }, i) => (isNumberType(type) ? [i] : []));
  const [kind, setKind] = useState<Kind>('line');
  const [y, setY] = useState(numbers.find((i) => i > 0) ?? numbers[0] ?? 0);
  const [x, setX] = useState(columns.findIndex((_, i) => i !== y));
  const box = useRef<HTMLDivElement>(null);
  const theme = useShownTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  const option = useMemo(
    () => optionOf({ kind, x, y, columns, rows: rows.slice(0, POINTS_MAX) }),
    [kind, x, y, columns, rows, theme],
  );
  useEffect(() => {
    if (box.current === null) return undefined;
    const chart = init(box.current);
    chart.setOption(option);
    const observer = new ResizeObserver(() => chart.resize());
    observer.observe(box.current);
    return () => {
      observer.disconnect();
      chart.dispose();
    };
  }, [option]);
  if (numbers.length === 0) return <Empty title={words.none}>{words.noneSaid}</Empty>;
  const names = columns.map(({ name }, i) => ({ value: String(i), label: name }));
  return (
    <div className={styles.query} style={{ gridTemplateRows: 'auto minmax(0, 1fr)' }}>
      <div className={styles.toolbar}>
        <Select
          label={words.kind}
          value={kind}
          options={KINDS.map((value) => ({ value, label: words.kinds[value] }))}
          onChange={setKind}
        />
        {kind !== 'histogram' && (
          <Select
            label={words.x}
            value={String(x)}
            options={[{ value: '-1', label: words.rowNumber }, ...names]}
            onChange={(value) => setX(Number(value))}
          />
        )}
        <Select
          label={words.y}
          value={String(y)}
          options={names.filter((_, i) => numbers.includes(i))}
          onChange={(value) => setY(Number(value))}
        />
      </div>
      <div ref={box} role="img" aria-label={words.label(words.kinds[kind], columns[y]?.name ?? '')} />
    </div>
  );
}

interface Asked extends ChartProps {
  readonly kind: Kind;
  /** -1: the number of the row. */
  readonly x: number;
  readonly y: number;
}

function optionOf({ kind, x, y, columns, rows }: Asked) {
  const text = colour('--text-2');
  const line = colour('--line');
  const axis = {
    axisLabel: { color: text },
    axisLine: { lineStyle: { color: line } },
    splitLine: { lineStyle: { color: line } },
  };
  const name = columns[y]?.name ?? '';
  const all = {
    animation: false,
    color: [colour('--accent')],
    grid: { left: 64, right: 24, top: 24, bottom: 40 },
    // Rich text: what a value says is never read as HTML.
    tooltip: { trigger: kind === 'scatter' ? 'item' : 'axis', renderMode: 'richText' },
  };
  if (kind === 'histogram') {
    const bins = histogram(rows.flatMap((row) => asNumber(row[y]) ?? []));
    return {
      ...all,
      xAxis: { type: 'category', data: bins.map(({ label }) => label), ...axis },
      yAxis: { type: 'value', ...axis },
      series: [{ type: 'bar', name, data: bins.map(({ size }) => size), barCategoryGap: '4%' }],
    };
  }
  const isValue = x >= 0 && isNumberType(columns[x]?.type ?? '') && kind === 'scatter';
  const xOf = (row: Row, i: number): Json =>
    x < 0 ? i + 1 : isValue ? asNumber(row[x]) : String(row[x] ?? '');
  return {
    ...all,
    xAxis: { type: isValue ? 'value' : 'category', ...(!isValue && { data: rows.map(xOf) }), ...axis },
    yAxis: { type: 'value', scale: kind !== 'bar', ...axis },
    series: [
      {
        type: kind,
        name,
        showSymbol: rows.length < 60,
        data: rows.map((row, i) => (isValue ? [xOf(row, i), asNumber(row[y])] : asNumber(row[y]))),
      },
    ],
  };
}
