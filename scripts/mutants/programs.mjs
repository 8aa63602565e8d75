const commands = ['test/cli/run.test.ts', 'test/cli/project.test.ts'];
const tables = 'test/io/table.test.ts';

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
    tests: ['test/cli/failedFit.isolated.test.ts', 'test/cli/program.test.ts'],
    faults: [
      ["return result.status === 'failed' ? 1 : 0;", 'return 0;'],
      ["if (result.status === 'failed') streams", 'if (false) streams'],
      ['...(signal === undefined ? {} : { signal }),', ''],
    ],
  },
  {
    file: 'src/cli/main.ts',
    tests: 'test/cli/program.test.ts',
    faults: [
      ['interrupted.abort();', ''],
      ['process.exitCode = await run', 'await run'],
    ],
  },
  {
    file: 'src/cli/projectCommand.ts',
    tests: 'test/cli/project.test.ts',
    faults: [
      ["given.missing === 'ignore'", 'false'],
      ['if (given.out !== undefined) await writeTable(given.out, table, names);', ''],
    ],
  },
  {
    file: 'src/io/table.ts',
    tests: tables,
    faults: [
      ['if (Number.isNaN(value) && !allowMissing) throw', 'if (false) throw'],
      ['options.header ?? first.some(isText)', 'options.header ?? true'],
      ["if (label === '' && !allowMissing) throw", 'if (false) throw'],
      ["(hasHeader && cell !== '' ? cell", '(hasHeader ? cell'],
    ],
  },
  {
    file: 'src/io/delimited.ts',
    tests: tables,
    faults: [
      ["firstLine.includes(';') && !firstLine.includes(',') ? ';'", "firstLine.includes(';') ? ';'"],
      ['return Number.isFinite(value) ? value : undefined;', 'return value;'],
      ['if (cells.length !== first.cells.length) {', 'if (cells.length < first.cells.length) {'],
      ['relax_column_count: true,', ''],
    ],
  },
  {
    file: 'src/mapping/conditionedProcess.ts',
    tests: ['test/models/noiseFreeVariance.test.ts', 'test/models/gpyGplvm.test.ts'],
    faults: [
      ['Math.max(0, variance[i]!)', 'variance[i]!'],
      ['+ noise) * deviation[j]! ** 2', '+ noise) * deviation[j]!'],
    ],
  },
];
