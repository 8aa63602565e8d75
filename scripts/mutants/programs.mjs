const commands = ['test/cli/run.test.ts', 'test/cli/project.test.ts'];
const tables = ['test/io/table.test.ts', 'test/io/columns.test.ts'];

/** The command line and what it reads. */
export default [
  {
    file: 'src/cli/run.ts',
    tests: commands,
    faults: [
      ['error.exitCode === 0 ? 0 : 2', '2'],
      ['error.exitCode === 0 ? 0 : 2', '0'],
      ['error instanceof InvalidInputError ? 2 : 1', '1'],
      ['error instanceof InvalidInputError ? 2 : 1', '2'],
    ],
  },
  {
    file: 'src/cli/fitCommand.ts',
    tests: ['test/cli/failedFit.isolated.test.ts', 'test/cli/program.test.ts', 'test/tables/tables.test.ts'],
    faults: [
      ["if (result.status === 'failed') return 1;", ''],
      ["if (result.status === 'failed') streams", 'if (false) streams'],
      ['...(signal === undefined ? {} : { signal }),', ''],
      ['signal?.aborted ? INTERRUPTED : 0', 'signal?.aborted ? 0 : 0'],
      ['units?.apply(table.observations) ?? table.observations', 'table.observations'],
    ],
  },
  {
    file: 'src/cli/main.ts',
    tests: 'test/cli/program.test.ts',
    faults: [
      ["interrupted.abort('Ctrl-C');", ''],
      ['process.exitCode = await run', 'await run'],
    ],
  },
  {
    file: 'src/cli/fittedTable.ts',
    tests: ['test/cli/project.test.ts', 'test/cli/commands.test.ts'],
    faults: [
      ["given.missing === 'ignore'", 'false'],
      ['unitsOf(record)?.apply(table.observations) ?? table.observations', 'table.observations'],
    ],
  },
  {
    file: 'src/cli/output.ts',
    tests: ['test/cli/project.test.ts', 'test/cli/commands.test.ts'],
    faults: [
      ['if (given.out !== undefined) await writeTable(', 'if (false) await writeTable('],
      ['if (present === undefined) return;', 'return;'],
    ],
  },
  {
    file: 'src/io/table.ts',
    tests: tables,
    faults: [
      ['absent < 0 || allowMissingLabels', 'true'],
      ['(j) => j === label || dropped.includes(j)', '() => false'],
      ['look.kind === kind && isNumeric(look) && !isTaken(j)', 'isNumeric(look) && !isTaken(j)'],
    ],
  },
  {
    file: 'src/io/columnRoles.ts',
    tests: [...tables, 'test/tables/tables.test.ts'],
    faults: [
      ["kind === 'index' && !isTaken(j)", '!isTaken(j)'],
      ['found.find((j) => columns[j]!.text !== undefined) ?? first', 'first'],
    ],
  },
  {
    file: 'src/io/entries.ts',
    tests: tables,
    faults: [
      ['!(allowMissing && Number.isNaN(value))', 'false'],
      ['!Number.isFinite(value) && !(allowMissing', 'false && !(allowMissing'],
    ],
  },
  {
    file: 'src/io/delimitedTable.ts',
    tests: tables,
    faults: [
      ["isHeader && cell !== '' ? cell", 'isHeader ? cell'],
      ['cells.every((cell) => decimalComma(cell)', 'cells.some((cell) => decimalComma(cell)'],
    ],
  },
  {
    file: 'src/io/matchedTable.ts',
    tests: ['test/io/columns.test.ts'],
    faults: [
      ['if (missing.length > 0) {', 'if (false) {'],
      ['if (unknown.length > 0) {', 'if (false) {'],
      ['columns: known.columns });', 'columns: [...known.columns].sort().reverse() });'],
    ],
  },
  {
    file: 'src/io/delimited.ts',
    tests: tables,
    faults: [
      ['if (cells.length !== first.cells.length) {', 'if (cells.length < first.cells.length) {'],
      ['relax_column_count: true,', ''],
      ["comment: '#',", ''],
    ],
  },
  {
    file: 'src/io/npyHeader.ts',
    tests: ['test/io/npyCorpus.test.ts', 'test/io/npy.test.ts'],
    faults: [
      ['if (lengths.some((n) => n < 0))', 'if (false)'],
      ['|| minor !== 0', ''],
      ['if (length > LONGEST)', 'if (false)'],
    ],
  },
  {
    file: 'src/io/npy.ts',
    tests: ['test/io/npyCorpus.test.ts', 'test/io/npy.test.ts'],
    faults: [
      ['if (found === expected) return;', 'if (found >= expected) return;'],
      ["typeof value === 'bigint' && BigInt(Number(value)) !== value", 'false'],
      ["order !== '>'", 'true'],
      ['2 ** (exponent - 15)', '2 ** (exponent - 16)'],
    ],
  },
  {
    file: 'src/mapping/conditionedProcess.ts',
    tests: ['test/models/noiseFreeVariance.test.ts', 'test/models/standardization.test.ts'],
    faults: [
      ['variance: op.relu(variance) }', 'variance }'],
      ['entry * square(deviation[i % D]!)', 'entry * deviation[i % D]!'],
    ],
  },
];
