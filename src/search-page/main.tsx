/** Entry of the search page: puts the app into the document. */
import { render } from 'preact';
import { App } from './app.tsx';

const target = document.getElementById('page');
if (target !== null) {
  target.replaceChildren();
  render(<App />, target);
}
