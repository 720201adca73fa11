/** Chooses files, or a folder with all below it. */
import { type ChangeEvent, useRef } from 'react';
import { Button, IconButton } from '../../../parts/button.tsx';
import { Menu } from '../../../parts/menu.tsx';
import { WORDS } from '../../../words.ts';
import { uploads } from './uploads.ts';
import { fromList } from './walk.ts';

const { upload: words } = WORDS.datasets;

export function UploadButton({ dataset }: { readonly dataset: string }) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const onChange = ({ currentTarget }: ChangeEvent<HTMLInputElement>): void => {
    if (currentTarget.files !== null) void uploads.add(dataset, fromList(currentTarget.files));
    currentTarget.value = '';
  };
  return (
    <span className="row">
      <Button kind="main" icon="upload" onClick={() => files.current?.click()}>
        {words.files}
      </Button>
      <Menu
        trigger={<IconButton icon="more" label={WORDS.more} kind="plain" />}
        items={[{ label: words.folder, icon: 'datasets', onChoose: () => folder.current?.click() }]}
      />
      <input ref={files} type="file" multiple hidden aria-label={words.files} onChange={onChange} />
      <input
        ref={folder}
        type="file"
        hidden
        aria-label={words.folder}
        onChange={onChange}
        {...{ webkitdirectory: '' }}
      />
    </span>
  );
}
