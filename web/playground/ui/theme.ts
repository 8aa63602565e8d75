import { useEffect, useMemo, useState } from 'preact/hooks';
import { type ThemeName, themeOf } from '../drawing/colors.ts';

/** Color theme of the page: that chosen, or by default the visitor's system theme. */
export function useTheme() {
  const query = useMemo(() => matchMedia('(prefers-color-scheme: dark)'), []);
  const [system, setSystem] = useState<ThemeName>(query.matches ? 'dark' : 'light');
  const [chosen, setChosen] = useState<ThemeName>();
  useEffect(() => {
    const changed = () => setSystem(query.matches ? 'dark' : 'light');
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, []);
  const name = chosen ?? system;
  const theme = useMemo(() => {
    document.documentElement.dataset.theme = name;
    return themeOf(name);
  }, [name]);
  return { theme, switchTheme: () => setChosen(name === 'dark' ? 'light' : 'dark') };
}
