import 'uplot/dist/uPlot.min.css';
import './style.css';
import { render } from 'preact';
import { KernelPage } from './ui/kernelPage.tsx';

render(<KernelPage />, document.getElementById('app')!);
