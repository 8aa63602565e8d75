import { useEffect, useState } from 'preact/hooks';
import {
  CARDS,
  FIELDS,
  type Field,
  fieldsOf,
  MODELS,
  PRIORS,
  priorOption,
  type Settings,
  withNeeded,
} from '../settings.ts';

interface Given {
  readonly settings: Settings;
  readonly change: (changed: Partial<Settings>) => void;
  /** Color of axes. */
  readonly ink: string;
}

/** Initial kernel of the sliders: scales are fixed, as in models whose prior would shrink them. */
const KERNEL = 'rbf(variance=fixed(1), lengthscale=fixed(1)) + bias(0.1)';

/** Controls for the model, its options and the options of the fit. */
export function ModelFields({ settings, change, ink }: Given) {
  const fields = fieldsOf(settings.model);
  const set = (name: string, value: string | number | boolean | undefined) => {
    const { [name]: _, ...others } = settings.options;
    change({ options: withNeeded(value === undefined ? others : { ...others, [name]: value }, settings.model) });
  };
  const take = (model: string) => change({ model, options: withNeeded(settings.options, model) });
  return (
    <>
      <div class="cards" role="radiogroup" aria-label="Models to start with">
        {Object.entries(CARDS).map(([name, title]) => (
          <label key={name}>
            <input
              type="radio"
              name="card"
              value={name}
              checked={settings.model === name}
              onChange={() => take(name)}
            />
            <b>{title}</b>
            {MODELS[name]!.summary}
          </label>
        ))}
      </div>
      <label>
        All models
        <select name="model" value={settings.model} onChange={({ currentTarget }) => take(currentTarget.value)}>
          {Object.entries(MODELS).map(([name, { summary }]) => (
            <option key={name} value={name}>
              {name}: {summary}
            </option>
          ))}
        </select>
      </label>
      {fields.map((name) => (
        <Control
          key={name}
          name={name}
          field={FIELDS[name]!}
          value={settings.options[name]}
          set={(value) => set(name, value)}
          ink={ink}
        />
      ))}
      {fields.includes('priors') && settings.options.priors === 'chosen' && (
        <PriorFields options={settings.options} set={set} ink={ink} />
      )}
      <label>
        <input
          type="checkbox"
          name="standardize"
          checked={settings.standardize}
          onChange={({ currentTarget }) => change({ standardize: currentTarget.checked })}
        />
        Columns to mean 0 and standard deviation 1
      </label>
      <div class="pair">
        <label>
          Maximum iterations
          <input
            type="number"
            name="maxIterations"
            min="1"
            value={settings.maxIterations}
            onInput={({ currentTarget: { value } }) => value !== '' && change({ maxIterations: Number(value) })}
          />
        </label>
        <label>
          Seed
          <input
            type="number"
            name="seed"
            min="0"
            value={settings.seed}
            onInput={({ currentTarget: { value } }) => value !== '' && change({ seed: Number(value) })}
          />
        </label>
      </div>
    </>
  );
}

interface ControlProps {
  readonly name: string;
  readonly field: Field;
  readonly value: string | number | boolean | undefined;
  readonly set: (value: string | number | boolean | undefined) => void;
  readonly ink: string;
}

/** Priors to combine, each with its sliders once it is selected. */
function PriorFields({
  options,
  set,
  ink,
}: {
  readonly options: Settings['options'];
  readonly set: (name: string, value: string | number | boolean | undefined) => void;
  readonly ink: string;
}) {
  return (
    <fieldset class="priors">
      <legend>Priors, multiplied</legend>
      {Object.entries(PRIORS).map(([prior, { about, fields }]) => (
        <div key={prior}>
          <label>
            <input
              type="checkbox"
              name={priorOption(prior)}
              checked={options[priorOption(prior)] === true}
              onChange={({ currentTarget }) => set(priorOption(prior), currentTarget.checked || undefined)}
            />
            {prior}: {about}
          </label>
          {options[priorOption(prior)] === true &&
            Object.entries(fields).map(([name, field]) => (
              <Control
                key={name}
                name={priorOption(prior, name)}
                field={field}
                value={options[priorOption(prior, name)]}
                set={(value) => set(priorOption(prior, name), value)}
                ink={ink}
              />
            ))}
        </div>
      ))}
    </fieldset>
  );
}

function Control({ name, field, value, set, ink }: ControlProps) {
  if (field.kind === 'check') {
    return (
      <label>
        <input
          type="checkbox"
          name={name}
          checked={value === true}
          onChange={({ currentTarget }) => set(currentTarget.checked || undefined)}
        />
        {field.label}
      </label>
    );
  }
  if (field.kind === 'choice') {
    return (
      <label>
        {field.label}
        <select
          name={name}
          value={String(value ?? '')}
          onChange={({ currentTarget }) => set(currentTarget.value || undefined)}
        >
          {field.choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice === '' ? 'default of the model' : choice}
            </option>
          ))}
        </select>
      </label>
    );
  }
  if (field.kind === 'kernel') return <KernelControl {...{ name, field, value, set, ink }} />;
  const given = field.values.indexOf(value as number | undefined);
  const at = Math.max(0, given >= 0 ? given : field.values.indexOf(STANDARD[field.label]));
  const shown = field.values[at] === undefined ? field.unset : String(field.values[at]);
  return (
    <label>
      <span class="spread">
        {field.label} <span>{shown}</span>
      </span>
      <input
        type="range"
        name={name}
        min="0"
        max={field.values.length - 1}
        value={at}
        aria-valuetext={shown}
        onInput={({ currentTarget }) => set(field.values[Number(currentTarget.value)])}
      />
    </label>
  );
}

/** Initial values of sliders that always have a number. */
const STANDARD: Readonly<Record<string, number>> = {
  ...{ Neighbors: 6, 'Latent dimensions': 2 },
  ...{ Strength: 1, Precision: 1, Beta: 1, 'Variance of a step': 1 },
};

/** Kernel as text, and its sliders on request. */
function KernelControl({
  name,
  field,
  value,
  set,
  ink,
}: ControlProps & { readonly field: { readonly example?: string } }) {
  const [isOpen, setOpen] = useState(false);
  const text = String(value ?? '');
  return (
    <>
      <label>
        {field.label}
        <input
          type="text"
          name={name}
          value={text}
          placeholder={field.example}
          onInput={({ currentTarget: { value } }) => set(value.trim() === '' ? undefined : value)}
        />
      </label>
      <details class="sliders" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Sliders of the kernel</summary>
        {isOpen && (
          <>
            {text === '' && (
              <p class="note">The model chooses its kernel from the data. Moving a slider replaces it by this one.</p>
            )}
            <Sliders text={text || KERNEL} change={set} ink={ink} />
          </>
        )}
      </details>
    </>
  );
}

type SlidersProps = { readonly text: string; readonly change: (text: string) => void; readonly ink: string };

/** Kernel sliders, whose covariances need the library: loaded when they are opened. */
function Sliders(given: SlidersProps) {
  const [loaded, setLoaded] = useState<typeof import('./kernelSliders.tsx')>();
  useEffect(() => {
    import('./kernelSliders.tsx').then(setLoaded);
  }, []);
  return loaded === undefined ? <p class="note">Loading …</p> : <loaded.KernelSliders {...given} />;
}
