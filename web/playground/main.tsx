import './style.css';
import { render } from 'preact';
import { App } from './ui/app.tsx';

render(<App />, document.getElementById('app')!);
