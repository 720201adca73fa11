/** Questions: asked, answered, looked up again; and research. */
import { Route, Routes } from 'react-router';
import { NotFound } from '../not-found.tsx';
import { AskPage } from './ask-page.tsx';
import { ResearchPage } from './research-page.tsx';

export function Component() {
  return (
    <Routes>
      <Route path="research/:research" Component={ResearchPage} />
      <Route path=":answer?" Component={AskPage} />
      <Route path="*" Component={NotFound} />
    </Routes>
  );
}
