/** Menu of an answer: it can be looked at whether it still stands, and copied. */
import { useState } from 'react';
import { Button, IconButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Badge, FaultBox } from '../../parts/states.tsx';
import { type Fault, faultOf } from '../../server/messages.ts';
import { rowsOf } from '../../server/statement.ts';
import { WORDS } from '../../words.ts';
import { asJson, asMarkdown } from './copied.ts';
import type { AnswerView } from './model.ts';

const { ask: words } = WORDS;

const REVERIFY =
  'SELECT stands, reason, count(*) AS quotes FROM quern.reverify($1) GROUP BY 1, 2 ORDER BY 1, 2';

interface Checked {
  readonly stands: boolean;
  readonly reason: string;
  readonly quotes: string;
}

interface MenuProps {
  readonly view: AnswerView;
  readonly onChecked: () => void;
}

export function AnswerMenu({ view, onChecked }: MenuProps) {
  const [checked, setChecked] = useState<readonly Checked[] | Fault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [isCopied, setCopied] = useState(false);
  const check = async (): Promise<void> => {
    setBusy(true);
    try {
      setChecked(await rowsOf<Checked>(REVERIFY, { params: [view.id] }));
      onChecked();
    } catch (error) {
      setChecked(faultOf(error));
    }
    setBusy(false);
  };
  const copy = (text: string): void => {
    navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => undefined,
    );
  };
  return (
    <>
      <span role="status" className="quiet small">
        {isCopied ? WORDS.copied : ''}
      </span>
      <Menu
        trigger={<IconButton icon="more" label={words.more} kind="plain" />}
        items={[
          { label: words.check, icon: 'check', isDisabled: isBusy, onChoose: () => void check() },
          { label: words.copyMarkdown, icon: 'copy', onChoose: () => copy(asMarkdown(view)) },
          { label: words.copyJson, icon: 'copy', onChoose: () => copy(asJson(view)) },
          { label: words.copyLink, icon: 'copy', onChoose: () => copy(location.href) },
        ]}
      />
      {checked !== null && <CheckedDialog checked={checked} onClose={() => setChecked(null)} />}
    </>
  );
}

interface CheckedProps {
  readonly checked: readonly Checked[] | Fault;
  readonly onClose: () => void;
}

function CheckedDialog({ checked, onClose }: CheckedProps) {
  return (
    <Dialog
      isOpen
      title={words.check}
      onClose={onClose}
      foot={<Button onClick={onClose}>{WORDS.close}</Button>}
    >
      {'message' in checked ? (
        <FaultBox fault={checked} />
      ) : (
        <ul className="stack">
          {checked.length === 0 && <li>{words.nothingToCheck}</li>}
          {checked.map(({ stands, reason, quotes }) => (
            <li key={reason} className="row">
              <Badge tone={stands ? 'good' : 'bad'}>{words.quotes(Number(quotes))}</Badge>
              <span>{words.reasons[reason] ?? reason}</span>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
