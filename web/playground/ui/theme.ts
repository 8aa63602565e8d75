import { useEffect, useMemo, useState } from 'preact/hooks';
import { themes } from '../drawing/colours.ts';

/** The colours of pictures for the light or the dark page, as the visitor's system has it. */
export function useTheme() {
  const query = useMemo(() => matchMedia('(prefers-color-scheme: dark)'), []);
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const changed = () => setDark(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, []);
  return isDark ? themes.dark : themes.light;
}
