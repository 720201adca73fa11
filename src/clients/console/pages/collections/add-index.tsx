/** An index made by a form; its SQL is what runs. */
import { type FormEvent, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { CheckField } from '../../parts/field.tsx';
import { Section } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { FaultBox, Sql } from '../../parts/states.tsx';
import { quoteName } from '../../server/names.ts';
import { run } from '../../server/statement.ts';
import { useAttempt } from '../../server/use-attempt.ts';
import { WORDS } from '../../words.ts';
import styles from './collections.module.css';
import type { Relation } from './relation.ts';
import { typeClass } from './types.ts';

const { indexList: words } = WORDS.collections;

type Kind = 'keyword' | 'semantic' | 'ngram' | 'vector' | 'multi_vector' | 'btree';

function kindsOf(type: string): readonly Kind[] {
  switch (typeClass(type)) {
    case 'text':
      return ['keyword', 'semantic', 'ngram', 'btree'];
    case 'vector':
      return type.includes('matrix') ? ['multi_vector'] : ['vector'];
    case 'number':
    case 'time':
    case 'boolean':
      return ['btree'];
    default:
      return [];
  }
}

interface AddIndexProps {
  readonly relation: Relation;
  readonly onChanged: () => void;
}

export function AddIndex({ relation, onChanged }: AddIndexProps) {
  const choices = relation.columns.filter(({ type }) => kindsOf(type).length > 0);
  const [column, setColumn] = useState(choices.find(({ name }) => name !== '_id')?.name ?? '');
  const [chosen, choose] = useState<Kind | null>(null);
  const [isUnique, setUnique] = useState(false);
  const { isBusy, fault, attempt } = useAttempt();
  const kinds = kindsOf(choices.find(({ name }) => name === column)?.type ?? '');
  const kind = chosen !== null && kinds.includes(chosen) ? chosen : kinds[0];
  if (kind === undefined) return null;
  const unique = isUnique && kind === 'btree' ? 'UNIQUE ' : '';
  const sql = `CREATE ${unique}INDEX ON ${relation.sql} USING ${kind} (${quoteName(column)})`;
  const create = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (await attempt(() => run(sql))) onChanged();
  };
  return (
    <Section title={words.add}>
      <form className={styles.lines} onSubmit={(event) => void create(event)}>
        <div className={styles.filterForm}>
          <Select
            label={words.column}
            value={column}
            options={choices.map(({ name }) => ({ value: name, label: name }))}
            onChange={setColumn}
          />
          <Select
            label={words.kind}
            value={kind}
            options={kinds.map((value) => ({ value, label: words.kinds[value] }))}
            onChange={choose}
          />
          {kind === 'btree' && (
            <CheckField
              label={words.unique}
              checked={isUnique}
              onChange={({ target }) => setUnique(target.checked)}
            />
          )}
          <Button type="submit" disabled={isBusy}>
            {isBusy ? words.creating : words.create}
          </Button>
        </div>
        <p className="quiet small">{words.kindsSaid[kind]}</p>
        <Sql text={sql} />
        {fault !== null && <FaultBox fault={fault} />}
      </form>
    </Section>
  );
}
