/** Datasets: the list of them, one with its sides, one document. */
import { Route, Routes } from 'react-router';
import { NotFound } from '../not-found.tsx';
import { Dataset } from './dataset.tsx';
import { DatasetList } from './list.tsx';
import { DocumentPage } from './document/document.tsx';

export function Component() {
  return (
    <Routes>
      <Route index Component={DatasetList} />
      <Route path=":dataset/documents/:doc" Component={DocumentPage} />
      <Route path=":dataset/*" Component={Dataset} />
      <Route path="*" Component={NotFound} />
    </Routes>
  );
}
