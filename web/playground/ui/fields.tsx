import type { ComponentChildren } from 'preact';
import { FIELDS, type Field, MODELS, type Settings } from '../settings.ts';

interface Given {
  readonly settings: Settings;
  readonly change: (changed: Partial<Settings>) => void;
}

/** The model, its options and those of the fit. */
export function ModelFields({ settings, change }: Given) {
  const { fields } = MODELS[settings.model]!;
  const set = (name: string, value: string | number | boolean | undefined) => {
    const { [name]: _, ...others } = settings.options;
    change({ options: value === undefined ? others : { ...others, [name]: value } });
  };
  return (
    <>
      <label>
        Model
        <select
          name="model"
          value={settings.model}
          onChange={({ currentTarget }) => change({ model: currentTarget.value })}
        >
          {Object.entries(MODELS).map(([name, { about }]) => (
            <option key={name} value={name}>
              {name}: {about}
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
        />
      ))}
      <label>
        <input
          type="checkbox"
          name="standardise"
          checked={settings.standardise}
          onChange={({ currentTarget }) => change({ standardise: currentTarget.checked })}
        />
        Columns to mean 0 and deviation 1
      </label>
      <div class="pair">
        <label>
          Iterations at most
          <input
            type="number"
            name="maxIterations"
            min="1"
            value={settings.maxIterations}
            onChange={({ currentTarget }) => change({ maxIterations: Number(currentTarget.value) })}
          />
        </label>
        <label>
          Seed
          <input
            type="number"
            name="seed"
            min="0"
            value={settings.seed}
            onChange={({ currentTarget }) => change({ seed: Number(currentTarget.value) })}
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
}

function Control({ name, field, value, set }: ControlProps) {
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
              {choice === '' ? 'as the model has it' : choice}
            </option>
          ))}
        </select>
      </label>
    );
  }
  if (field.kind === 'text') {
    return (
      <label>
        {field.label}
        <input
          type="text"
          name={name}
          value={String(value ?? '')}
          placeholder={field.example}
          onChange={({ currentTarget }) => set(currentTarget.value.trim() || undefined)}
        />
      </label>
    );
  }
  const at = Math.max(0, field.values.indexOf(value as number | undefined));
  const shown = field.values[at] === undefined ? field.unset : String(field.values[at]);
  return (
    <label>
      <span class="spread">
        {field.label} <output>{shown}</output>
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

/** A part of the page under a heading. */
export function Panel({
  title,
  children,
  id,
}: {
  readonly title: string;
  readonly id: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section aria-labelledby={id} class="panel">
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}
