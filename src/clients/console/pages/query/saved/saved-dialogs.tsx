/** Dialogs of saved queries: a name for one, deleting one, and one that somebody else has changed meanwhile. */
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { FaultBox } from '../../../parts/states.tsx';
import { useAttempt } from '../../../server/use-attempt.ts';
import { WORDS } from '../../../words.ts';
import { forgetDraft, noteRan } from '../kept-queries.ts';
import { NameDialog } from './name-dialog.tsx';
import {
  dropQuery,
  dropSql,
  renameQuery,
  renameSql,
  savedQuery,
  saveQuery,
  saveSql,
} from './saved-queries.ts';
import { type Opened, useOpen } from './use-opened.ts';
import type { EditedText } from './use-text.ts';

const { saved: words } = WORDS.query;

export type Asked = 'save as' | 'rename' | 'remove' | 'stale';

interface DialogProps {
  readonly opened: Opened;
  readonly edited: EditedText;
  readonly onClose: () => void;
}

export function SavedDialog({ asked, ...rest }: DialogProps & { readonly asked: Asked }) {
  const name = rest.opened.name ?? '';
  switch (asked) {
    case 'save as':
      return <SaveAs {...rest} />;
    case 'rename':
      return <Rename name={name} {...rest} />;
    case 'remove':
      return <Remove name={name} {...rest} />;
    case 'stale':
      return <Stale name={name} {...rest} />;
  }
}

/** Gives the text in the editor that name from now on; the address says so. */
function useNamed({ opened, edited }: Pick<DialogProps, 'opened' | 'edited'>): (name: string) => void {
  const open = useOpen();
  return (name) => {
    edited.name(name);
    if (name === opened.name) opened.reload();
    else open(name);
  };
}

function SaveAs({ opened, edited, onClose }: DialogProps) {
  const named = useNamed({ opened, edited });
  const save = async (name: string, isReplacing: boolean): Promise<void> => {
    await saveQuery({ name, ...edited.now() }, isReplacing);
    named(name);
  };
  return (
    <NameDialog
      title={words.saveTitle}
      action={words.save}
      initial={opened.name ?? ''}
      sql={saveSql}
      onName={(name) => save(name, false)}
      onReplace={(name) => save(name, true)}
      onClose={onClose}
    />
  );
}

type OfName = DialogProps & { readonly name: string };

function Rename({ name, opened, edited, onClose }: OfName) {
  const named = useNamed({ opened, edited });
  return (
    <NameDialog
      title={words.renameTitle(name)}
      action={words.renameAction}
      initial={name}
      sql={(next) => renameSql(name, next)}
      onName={async (next) => {
        await renameQuery(name, next);
        forgetDraft(name);
        named(next);
      }}
      onClose={onClose}
    />
  );
}

function Remove({ name, edited, onClose }: OfName) {
  const open = useOpen();
  return (
    <Confirm
      title={words.removeTitle(name)}
      action={words.removeAction}
      sql={dropSql(name)}
      onConfirm={async () => {
        await dropQuery(name);
        noteRan(edited.now().statement);
        forgetDraft(name);
        open(null);
      }}
      onClose={onClose}
    >
      <p>{words.removeSaid}</p>
    </Confirm>
  );
}

function Stale({ name, opened, edited, onClose }: OfName) {
  const { isBusy, fault, attempt } = useAttempt();
  const done = async (work: () => Promise<void>): Promise<void> => {
    if (!(await attempt(work))) return;
    opened.reload();
    onClose();
  };
  const overwrite = (): Promise<void> => saveQuery({ name, ...edited.now() }, true);
  const show = async (): Promise<void> => {
    const now = await savedQuery(name);
    if (now !== null) edited.take(now);
  };
  return (
    <Dialog
      isOpen
      title={words.staleTitle(name)}
      onClose={onClose}
      foot={
        <>
          <Button disabled={isBusy} onClick={() => void done(show)}>
            {words.show}
          </Button>
          <Button kind="bad" disabled={isBusy} onClick={() => void done(overwrite)}>
            {words.overwrite}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p>{words.staleSaid}</p>
        {fault !== null && <FaultBox fault={fault} />}
      </div>
    </Dialog>
  );
}
