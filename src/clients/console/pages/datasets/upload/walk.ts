/** The files of what was dropped or chosen, folders with all below them, one after another: a folder of any size is never held whole. */

export interface FoundFile {
  /** A file's name; below a folder its path there. */
  readonly id: string;
  readonly load: () => Promise<File>;
}

/** As the command does: names that begin with a dot are left out. */
const isHidden = (name: string): boolean => name.startsWith('.');

export const fromList = (files: FileList): FoundFile[] =>
  [...files].flatMap((file) => {
    const parts = file.webkitRelativePath.split('/').slice(1);
    if ([file.name, ...parts].some(isHidden)) return [];
    return [{ id: parts.length > 0 ? parts.join('/') : file.name, load: async () => file }];
  });

/** A file alone where another program gives it, as a mail's attachment: it stands in no folder. */
type Dropped = FileSystemEntry | File;

/** Has to be called before the event is over: what was dropped is forgotten then. */
export const entriesOf = (dropped: DataTransfer): readonly Dropped[] =>
  [...dropped.items].flatMap((item) => item.webkitGetAsEntry() ?? item.getAsFile() ?? []);

export async function* filesOf(entries: readonly Dropped[]): AsyncGenerator<FoundFile> {
  for (const entry of entries) {
    if (isHidden(entry.name)) continue;
    if (entry instanceof File) yield { id: entry.name, load: async () => entry };
    else if (entry.isDirectory) yield* below(entry as FileSystemDirectoryEntry, '');
    else yield found(entry as FileSystemFileEntry, entry.name);
  }
}

const found = (entry: FileSystemFileEntry, id: string): FoundFile => ({
  id,
  load: () => new Promise((resolve, reject) => entry.file(resolve, reject)),
});

async function* below(folder: FileSystemDirectoryEntry, path: string): AsyncGenerator<FoundFile> {
  const reader = folder.createReader();
  for (;;) {
    // Browsers give some hundred at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return;
    for (const entry of some) {
      if (isHidden(entry.name)) continue;
      const at = `${path}${entry.name}`;
      if (entry.isDirectory) yield* below(entry as FileSystemDirectoryEntry, `${at}/`);
      else yield found(entry as FileSystemFileEntry, at);
    }
  }
}
