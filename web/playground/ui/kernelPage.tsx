import { builtInKernels } from 'latentfield/kernels';
import { useEffect, useState } from 'preact/hooks';
import { KernelSliders } from './kernelSliders.tsx';
import { useTheme } from './theme.ts';

/** Kernel's text in the address. */
const ofAddress = () => {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
};

/** Kernel by name or as text, drawn, with sliders. */
export function KernelPage() {
  const [text, setText] = useState(ofAddress() || 'rbf');
  const { theme } = useTheme();
  useEffect(() => {
    const changed = () => setText(ofAddress() || 'rbf');
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return (
    <main class="kernels">
      <h1>Kernels</h1>
      <label>
        Kernel, by name or as text, such as rbf(lengthscale=2) * linear + white(0.01)
        <input
          type="text"
          name="kernel"
          list="names"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <datalist id="names">
        {Object.keys(builtInKernels).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <KernelSliders text={text} change={setText} ink={theme.map.ink} />
      <p class="note">
        In code: <code>parseKernel({JSON.stringify(text)})</code>
      </p>
    </main>
  );
}
