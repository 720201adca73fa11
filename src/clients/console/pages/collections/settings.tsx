/** Settings of a collection: its name, who may do what with it, which rows whom, and dropping it. */
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { TextField } from '../../parts/field.tsx';
import { count } from '../../parts/format.ts';
import { Section } from '../../parts/page.tsx';
import { FaultBox, Skeleton, Sql } from '../../parts/states.tsx';
import { quoteName } from '../../server/names.ts';
import { run } from '../../server/statement.ts';
import { useRows } from '../../server/use-rows.ts';
import { useAttempt } from '../../server/use-attempt.ts';
import { WORDS } from '../../words.ts';
import styles from './collections.module.css';
import { collectionPath } from './place.ts';
import { type Relation, shownName } from './relation.ts';

const { settings: words } = WORDS.collections;

interface SettingsProps {
  readonly relation: Relation;
  readonly onChanged: () => void;
}

export function Settings({ relation }: SettingsProps) {
  return (
    <>
      {relation.rights.own && <Rename relation={relation} />}
      <Grants relation={relation} />
      <RowRules relation={relation} />
      {relation.rights.own ? (
        <Drop relation={relation} />
      ) : (
        <p className={`quiet ${styles.none}`}>{words.notOwner}</p>
      )}
    </>
  );
}

function Rename({ relation }: { readonly relation: Relation }) {
  const navigate = useNavigate();
  const [name, setName] = useState(relation.name);
  const { isBusy, fault, attempt } = useAttempt();
  const isOther = name.trim() !== '' && name.trim() !== relation.name;
  const sql = `ALTER TABLE ${relation.sql} RENAME TO ${quoteName(name.trim())}`;
  const rename = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    await attempt(async () => {
      await run(sql);
      await navigate(collectionPath(shownName(relation.schema, name.trim()), 'settings'), { replace: true });
    });
  };
  return (
    <Section title={words.name}>
      <form className={styles.lines} onSubmit={(event) => void rename(event)}>
        <div className={styles.filterForm}>
          <TextField
            label={words.name}
            isLabelHidden
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <Button type="submit" disabled={!isOther || isBusy}>
            {words.rename}
          </Button>
        </div>
        {isOther && <Sql text={sql} />}
        {fault !== null && <FaultBox fault={fault} />}
      </form>
    </Section>
  );
}

const GRANTS = `SELECT grantee, string_agg(privilege_type, ', ' ORDER BY privilege_type) AS rights,
  string_agg(DISTINCT grantor, ', ') AS grantor
  FROM information_schema.role_table_grants WHERE table_schema = $1 AND table_name = $2
  GROUP BY 1 ORDER BY 1`;

interface Grant {
  readonly grantee: string;
  readonly rights: string;
  readonly grantor: string;
}

function Grants({ relation }: { readonly relation: Relation }) {
  const { value, fault, reload } = useRows<Grant>(GRANTS, [relation.schema, relation.name]);
  return (
    <Section title={words.grants}>
      {fault !== null && <FaultBox fault={fault} onRetry={reload} />}
      {value === null && fault === null && <Skeleton />}
      <dl className={styles.facts}>
        {value?.map(({ grantee, rights, grantor }) => (
          <div key={grantee} className={styles.fact}>
            <dt>{grantee}</dt>
            <dd>
              {rights.toLowerCase()} <span className="quiet small">{words.grantedBy(grantor)}</span>
            </dd>
          </div>
        ))}
      </dl>
      <Sql text={`GRANT SELECT ON ${relation.sql} TO reader`} />
    </Section>
  );
}

const RULES = `SELECT policyname AS name, permissive, roles, cmd AS command, qual AS sees,
  with_check AS writes
  FROM pg_catalog.pg_policies WHERE schemaname = $1 AND tablename = $2 ORDER BY 1`;

interface Rule {
  readonly name: string;
  readonly permissive: string;
  readonly roles: readonly string[];
  readonly command: string;
  readonly sees: string | null;
  readonly writes: string | null;
}

function RowRules({ relation }: { readonly relation: Relation }) {
  const { value, fault, reload } = useRows<Rule>(RULES, [relation.schema, relation.name]);
  return (
    <Section title={words.rules}>
      {fault !== null && <FaultBox fault={fault} onRetry={reload} />}
      <p className="quiet">{relation.hasRowRules ? words.rulesHold : words.noRules}</p>
      <dl className={styles.facts}>
        {value?.map(({ name, permissive, roles, command, sees, writes }) => (
          <div key={name} className={styles.fact}>
            <dt>{name}</dt>
            <dd>
              {words.rule(command.toLowerCase(), roles.join(', '), permissive.toLowerCase())}
              {sees !== null && <code className={styles.code}>USING {sees}</code>}
              {writes !== null && <code className={styles.code}>WITH CHECK {writes}</code>}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function Drop({ relation }: { readonly relation: Relation }) {
  const navigate = useNavigate();
  const [isAsking, ask] = useState(false);
  const sql = `DROP TABLE ${relation.sql}`;
  const rows = relation.rowCount === null ? '' : count(relation.rowCount);
  return (
    <Section title={words.drop}>
      <div className={styles.lines}>
        <p className="quiet">{words.dropSaid(rows)}</p>
        <div className="row">
          <Button kind="bad" icon="bin" onClick={() => ask(true)}>
            {words.dropIt(relation.shown)}
          </Button>
        </div>
      </div>
      {isAsking && (
        <Confirm
          title={words.dropIt(relation.shown)}
          action={words.dropIt(relation.shown)}
          sql={sql}
          typed={relation.shown}
          onConfirm={async () => {
            await run(sql);
            await navigate('/collections', { replace: true });
          }}
          onClose={() => ask(false)}
        >
          <p>{words.dropSaid(rows)}</p>
        </Confirm>
      )}
    </Section>
  );
}
