import { useRef, useState } from 'preact/hooks';

export type OnFile = (name: string, bytes: Uint8Array<ArrayBuffer>) => void;

export async function taken(file: File | undefined, onFile: OnFile): Promise<void> {
  if (file !== undefined) onFile(file.name, new Uint8Array(await file.arrayBuffer()));
}

/** Field for choosing or dropping a file. */
export function FileDrop({
  label,
  name,
  onFile,
}: {
  readonly label: string;
  readonly name: string;
  readonly onFile: OnFile;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  return (
    <label
      class={`drop${isOver ? ' over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        event.stopPropagation();
        setOver(false);
        taken(event.dataTransfer?.files[0], onFile);
      }}
    >
      {label}
      <input
        ref={input}
        type="file"
        name={name}
        onChange={async ({ currentTarget }) => {
          await taken(currentTarget.files?.[0], onFile);
          if (input.current !== null) input.current.value = '';
        }}
      />
    </label>
  );
}
