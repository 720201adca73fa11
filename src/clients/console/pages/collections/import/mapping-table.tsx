/**
 * Columns of the file above those of the collection, with its first rows below: what goes where is seen
 * before it goes.
 */
import { cellText } from '../../../grid/cell-text.ts';
import { Select } from '../../../parts/select.tsx';
import { Badge } from '../../../parts/states.tsx';
import { Table } from '../../../parts/table.tsx';
import { WORDS } from '../../../words.ts';
import styles from '../collections.module.css';
import type { Relation } from '../relation.ts';
import { type Mapped, mappedTo } from './mapping.ts';
import type { SourceRecord } from './source.ts';

const { import: words } = WORDS.collections;

const PREVIEW_ROWS = 20;
const LEFT_OUT = '';

interface MappingTableProps {
  readonly relation: Relation;
  readonly sample: readonly SourceRecord[];
  readonly mapping: readonly Mapped[];
  readonly onChange: (mapping: readonly Mapped[]) => void;
}

export function MappingTable({ relation, sample, mapping, onChange }: MappingTableProps) {
  const change = (from: string, to: string): void =>
    onChange(
      mapping.map((one) => {
        if (one.from === from) return mappedTo(one, to === LEFT_OUT ? null : to, relation);
        // A column takes values of one: the other lets it go.
        return one.to === to && to !== LEFT_OUT ? { ...one, to: null } : one;
      }),
    );
  const hasId = !relation.isCollection || mapping.some(({ to }) => to === '_id');
  return (
    <>
      {!hasId && <p className="quiet">{words.noId}</p>}
      <Table isPreview>
        <thead>
          <tr>
            <th scope="col" data-number>
              {words.line}
            </th>
            {mapping.map(({ from }) => (
              <th key={from} scope="col" title={from}>
                {from}
              </th>
            ))}
          </tr>
          <tr>
            <th scope="row">{words.goesTo}</th>
            {mapping.map((one) => (
              <td key={one.from}>
                <Target mapped={one} relation={relation} onChange={(to) => change(one.from, to)} />
              </td>
            ))}
          </tr>
        </thead>
        <tbody>
          {sample.slice(0, PREVIEW_ROWS).map((record) => (
            <PreviewRow key={record.line} record={record} mapping={mapping} />
          ))}
        </tbody>
      </Table>
      <p className={`quiet small ${styles.said}`}>{words.preview(Math.min(PREVIEW_ROWS, sample.length))}</p>
    </>
  );
}

interface PreviewRowProps {
  readonly record: SourceRecord;
  readonly mapping: readonly Mapped[];
}

function PreviewRow({ record: { line, values, fault }, mapping }: PreviewRowProps) {
  return (
    <tr>
      <th scope="row" data-number className="number">
        {line}
      </th>
      {fault !== undefined && (
        <td colSpan={mapping.length}>
          <Badge tone="bad">{fault}</Badge>
        </td>
      )}
      {fault === undefined &&
        mapping.map(({ from, to }) => {
          const text = cellText(values.get(from) ?? null);
          return (
            <td key={from} className={to === null || text === null ? 'quiet' : ''} title={text ?? ''}>
              {text ?? WORDS.null}
            </td>
          );
        })}
    </tr>
  );
}

interface TargetProps {
  readonly mapped: Mapped;
  readonly relation: Relation;
  readonly onChange: (to: string) => void;
}

function Target({ mapped: { from, to, type, isKnown }, relation, onChange }: TargetProps) {
  const columns = relation.columns
    .filter(({ isGenerated }) => !isGenerated)
    .map(({ name }) => ({ value: name, label: name }));
  const isNew = to !== null && !isKnown;
  const own = isNew ? to : from.replace(/^_+/, '').replaceAll('.', '_');
  const canBeNew = relation.isCollection && !relation.columns.some(({ name }) => name === own);
  return (
    <div>
      <Select
        label={words.target(from)}
        value={to ?? LEFT_OUT}
        options={[
          { value: LEFT_OUT, label: words.leftOut },
          ...(canBeNew ? [{ value: own, label: words.newField(own) }] : []),
          ...columns,
        ]}
        onChange={onChange}
      />
      {to !== null && <p className="quiet small mono">{type}</p>}
    </div>
  );
}
