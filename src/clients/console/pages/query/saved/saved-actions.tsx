/** Buttons of a saved query: save, rename, delete. Others' changes meanwhile are said before they are undone. */
import { useState } from 'react';
import { Button, IconButton } from '../../../parts/button.tsx';
import { Menu } from '../../../parts/menu.tsx';
import { FaultBox } from '../../../parts/states.tsx';
import { useAttempt } from '../../../server/use-attempt.ts';
import { WORDS } from '../../../words.ts';
import { type Asked, SavedDialog } from './saved-dialogs.tsx';
import { saveUnchanged } from './saved-queries.ts';
import type { Opened } from './use-opened.ts';
import type { EditedText } from './use-text.ts';

const { saved: words } = WORDS.query;

interface SavedActionsProps {
  readonly opened: Opened;
  readonly edited: EditedText;
}

export function SavedActions({ opened, edited }: SavedActionsProps) {
  const { name, stored } = opened;
  const { current, isChanged } = edited;
  const [asked, ask] = useState<Asked | null>(null);
  const { isBusy, fault, attempt } = useAttempt();
  const save = async (): Promise<void> => {
    if (name === null || stored === null) {
      ask('save as');
      return;
    }
    await attempt(async () => {
      if (await saveUnchanged({ name, ...edited.now() }, stored.updatedAt)) opened.reload();
      else ask('stale');
    });
  };
  return (
    <>
      <Button
        disabled={isBusy || (stored === null ? current.statement.trim() === '' : !isChanged)}
        onClick={() => void save()}
      >
        {words.save}
      </Button>
      {stored !== null && (
        <Menu
          trigger={<IconButton icon="more" label={words.actions(stored.name)} />}
          items={[
            { label: words.saveAs, onChoose: () => ask('save as') },
            { label: words.rename, onChoose: () => ask('rename') },
            { label: words.reset, isDisabled: !isChanged, onChoose: () => edited.take(stored) },
            { label: words.remove, icon: 'bin', onChoose: () => ask('remove') },
          ]}
        />
      )}
      {fault !== null && <FaultBox fault={fault} />}
      {asked !== null && (
        <SavedDialog asked={asked} opened={opened} edited={edited} onClose={() => ask(null)} />
      )}
    </>
  );
}
