import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import { checkNumbers } from '../../core/observations.ts';
import { isSampled } from '../../core/rowMatrices.ts';
import { isParameter, type Parameter } from '../parameter.ts';
import type { Density } from './density.ts';
import { indexOf, isVariable, type KnownVariable, type ObservedVariable, type Variable } from './variable.ts';

/** Result of a model's `variables`: variables, and parameters shared by several components, by name. */
export type Variables = Readonly<Record<string, Variable | Parameter>>;

/** A density or factor of a variable, with the names of its term and of its parameters. */
export interface PlacedDensity {
  /** Prefix of its parameters' paths. */
  readonly path: string;
  /** Name of its term. */
  readonly term: string;
  /** Name of the term that is independent of the batch, or of the divergence of its Gaussian rows; terms with the same name are summed. */
  readonly divergence: string;
  readonly density: Density;
  /** False for the density of the variable itself. */
  readonly isFactor: boolean;
}

/** A variable as a node of the graph. */
export interface Node<V extends Variable = Variable> {
  readonly name: string;
  readonly variable: V;
  /** Names of its parents. */
  readonly given: readonly string[];
  readonly densities: readonly PlacedDensity[];
  /** True if it has one row per point, so that new points also have rows of it. */
  readonly isPointwise: boolean;
  /** Name of the known variable if it has one row for each of that variable's values. */
  readonly plate: string | undefined;
  /** For each parent, the known variable that selects the parent's row for each point; undefined if rows correspond directly. */
  readonly picked: readonly (string | undefined)[];
}

/** The variables of a model in topological order: parents come first. */
export interface VariableGraph {
  readonly nodes: readonly Node[];
  /** Shared parameters with their names. */
  readonly shared: ReadonlyMap<Parameter, string>;
  /** Number of points, N. */
  readonly points: number;
  /** The variable that `fit.latents` shows. */
  readonly shown: Node;
  /** True if its parameters have the paths of a named model. */
  readonly isNamed: boolean;
}

/**
 * Maps a variable's density, or its factor with this name and number (from 1), to the paths of its parameters and the name of its term: for models
 * whose names differ from the names of their variables.
 */
export type Places = (
  variable: string,
  factor?: string,
  number?: number,
) => { readonly path: string; readonly term: string; readonly divergence?: string };

/**
 * Short paths of a named model, by the default paths of its variables: of a variable (`y: 'mapping'`), of its factors (`'x.*': 'priors.*'`), and of
 * its divergence term (`'x.divergence': 'divergence'`). A term has the last segment of its path as its name.
 */
export type PathTable = Readonly<Record<string, string>>;

/** @param names - names of the variables, whose terms' names are not available to factors */
function shortPlaces(table: PathTable, names: readonly string[]): Places {
  const termOf = (path: string) => path.slice(path.lastIndexOf('.') + 1);
  const pathOf = (variable: string) => table[variable] ?? variable;
  const taken = names.map((name) => termOf(pathOf(name)));
  return (variable, factor, number) => {
    if (factor === undefined) {
      const path = pathOf(variable);
      const term = termOf(path);
      return { path, term, divergence: table[`${variable}.divergence`] ?? `${term}.divergence` };
    }
    const place = number! + (taken.includes(factor) ? 1 : 0);
    const own = place === 1 ? factor : `${factor}${place}`;
    const path = (table[`${variable}.*`] ?? `${variable}.*`).replace('*', own);
    return { path, term: termOf(path) };
  };
}

const ownPlaces: Places = (variable, factor, number) => {
  const path = factor === undefined ? variable : `${variable}.${factor}${number === 1 ? '' : number}`;
  return { path, term: path };
};

/** Names with a different meaning in paths, terms or fits. */
const RESERVED = ['hyper', 'then', 'constructor', 'prototype', '__proto__', 'logDensity', 'latents', 'values'];

/**
 * Orders the variables of a model and checks that they form one.
 *
 * @throws InvalidInputError for a value that is not a variable, a name that is reserved or not one word, a parent that was not returned, a variable
 *   that nothing depends on, observations with different numbers of rows, and a model without observations
 */
export function variableGraph(
  owner: string,
  variables: Variables,
  given: { readonly places?: Places | undefined; readonly paths?: PathTable | undefined } = {},
): VariableGraph {
  if (typeof variables !== 'object' || variables === null) {
    throw new InvalidInputError(
      `The variables of ${owner} are returned by name, such as { z, y }, but ${describe(variables)} was returned.`,
    );
  }
  const places = given.places ?? (given.paths && shortPlaces(given.paths, Object.keys(variables)));
  const names = new Map<Variable, string>();
  const shared = new Map<Parameter, string>();
  for (const [name, value] of Object.entries(variables)) {
    if (places === undefined) checkName(owner, name);
    if (isVariable(value)) names.set(value, name);
    else if (isParameter(value)) shared.set(value, name);
    else {
      throw new InvalidInputError(
        `'${name}' of ${owner} must be a variable, such as latent({ dim: 2 }), or a shared parameter, but ${describe(value)} was returned.`,
      );
    }
  }
  const ordered: Variable[] = [];
  const visit = (variable: Variable, of: string) => {
    if (ordered.includes(variable)) return;
    const name = names.get(variable);
    if (name === undefined) {
      throw new InvalidInputError(
        `'${of}' of ${owner} is given a ${variable.role} variable that has no name. Return it among the variables too.`,
      );
    }
    for (const given of variable.given) visit(given, name);
    const index = indexOf(variable);
    if (index !== undefined) visit(indexVariable(owner, name, index, variables), name);
    if (variable.role === 'observed' && variable.source !== undefined) visit(variable.source, name);
    ordered.push(variable);
  };
  for (const [variable, name] of names) visit(variable, name);
  const points = numberOfPoints(owner, ordered, names);
  const nodes = ordered.map((variable): Node => {
    const name = names.get(variable)!;
    if (variable.role === 'known') checkNumbers(variable.data, `'${name}' of ${owner}`);
    const ofPoints = isPointwise(variable, points);
    return {
      name,
      variable,
      given: variable.given.map((given) => names.get(given)!),
      densities: placedDensities(name, variable, places ?? ownPlaces),
      isPointwise: ofPoints,
      plate: plateOf(variable),
      picked: variable.given.map((given) => {
        const plate = plateOf(given);
        if (ofPoints || plate === undefined) return plate;
        if (plate === plateOf(variable)) return undefined;
        throw new InvalidInputError(
          `'${name}' of ${owner} depends on '${names.get(given)}', which has one row per value of '${plate}', but itself has neither one row per point nor one per value of '${plate}'.`,
        );
      }),
    };
  });
  checkIndices(owner, nodes, points);
  checkUsed(owner, nodes);
  for (const node of nodes) checkFields(owner, node, nodes);
  checkInputs(owner, nodes, points);
  const shown =
    nodes.find(({ variable, isPointwise: isShown }) => isShown && variable.role === 'latent') ??
    nodes.find(({ variable, isPointwise: isShown }) => isShown && variable.role === 'mapped') ??
    nodes.find(({ variable }) => variable.role === 'embedded') ??
    // A regression shows its inputs.
    nodes.find(({ name, variable, isPointwise: isShown }) => {
      const isInput = nodes.some((node) => node.variable.role === 'observed' && node.given.includes(name));
      return isShown && variable.role === 'known' && isInput;
    }) ??
    // A model without other variables shows the observed one.
    nodes.find(({ variable }) => variable.role === 'observed');
  if (shown === undefined) {
    throw new InvalidInputError(
      `The variables of ${owner} have no latent, mapped or embedded one with a row per point, and no known one that an observed one is given. Return one.`,
    );
  }
  return { nodes, shared, points, shown, isNamed: places !== undefined };
}

/** Checks that known parents have as many rows as their observed variable. */
function checkInputs(owner: string, nodes: readonly Node[], points: number): void {
  for (const { name, variable, given } of nodes) {
    if (variable.role !== 'observed') continue;
    variable.given.forEach((each, i) => {
      if (each.role !== 'known' || each.data.rows === points) return;
      throw new InvalidInputError(
        `'${name}' of ${owner} has ${points} rows, but '${given[i]}', which it is given, has ${each.data.rows}. Give known rows for each of them.`,
      );
    });
  }
}

function checkName(owner: string, name: string): void {
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(name)) {
    throw new InvalidInputError(
      `The name '${name}' of a variable of ${owner} must be letters and digits, a letter first.`,
    );
  }
  if (RESERVED.includes(name)) {
    throw new InvalidInputError(`The name '${name}' of a variable of ${owner} is reserved. Choose another.`);
  }
}

function numberOfPoints(owner: string, variables: readonly Variable[], names: ReadonlyMap<Variable, string>): number {
  const all = variables.filter((variable): variable is ObservedVariable => variable.role === 'observed');
  if (all.length === 0) {
    const points = pointsWithout(variables);
    if (points !== undefined) return points;
    throw new InvalidInputError(
      `The variables of ${owner} have no observed one. Return one: observed(Y, { density }).`,
    );
  }
  const [first] = all as [ObservedVariable];
  const rowsOf = ({ data, stream }: ObservedVariable) =>
    stream === undefined || isSampled(stream) ? data.rows : stream.rows;
  const other = all.find((one) => rowsOf(one) !== rowsOf(first));
  if (other === undefined) return rowsOf(first);
  throw new InvalidInputError(
    `Observed variables of ${owner} have one row per point, but '${names.get(first)}' has ${rowsOf(first)} and '${names.get(other)}' has ${rowsOf(other)}.`,
  );
}

/** Number of points of a model without observations: from the parents of a latent variable, or from a field without rows. */
function pointsWithout(variables: readonly Variable[]): number | undefined {
  for (const variable of variables) {
    if (variable.role === 'embedded' && variable.density?.field?.points !== undefined)
      return variable.density.field.points;
    if (variable.role !== 'latent' || variable.rows !== undefined) continue;
    for (const given of variable.given) if (given.role === 'known') return given.data.rows;
  }
  return undefined;
}

/** The known variable that selects the row of a plate for each point. */
function indexVariable(owner: string, name: string, index: string, variables: Variables): KnownVariable {
  const found = variables[index];
  if (isVariable(found) && found.role === 'known') return found;
  const known = Object.keys(variables).filter((each) => (variables[each] as Partial<Variable>).role === 'known');
  throw new InvalidInputError(
    `Option 'rows' of '${name}' of ${owner} is '${index}', which names no known variable${known.length > 0 ? ` (there are ${known.map((each) => `'${each}'`).join(', ')})` : ''}. ` +
      `Return known(…) under that name, N×1, or give a count or 'outputs'.`,
  );
}

/** Checks that a known variable that selects rows of a plate has one number per point. */
function checkIndices(owner: string, nodes: readonly Node[], points: number): void {
  for (const { name, variable } of nodes) {
    const index = indexOf(variable);
    const of = nodes.find((node) => node.name === index)?.variable;
    if (of?.role !== 'known' || (of.data.rows === points && of.data.columns === 1)) continue;
    throw new InvalidInputError(
      `Option 'rows' of '${name}' of ${owner} is '${index}', which must be ${points}×1, one number per point, but is ${of.data.rows}×${of.data.columns}.`,
    );
  }
}

/** The known variable whose values correspond to a variable's rows, one row each. */
function plateOf(variable: Variable): string | undefined {
  if (variable.role !== 'mapped') return indexOf(variable);
  const [first, ...others] = variable.given.map(plateOf);
  return others.every((plate) => plate === first) ? first : undefined;
}

function isPointwise(variable: Variable, points: number): boolean {
  if (variable.role === 'latent') return variable.rows === undefined;
  if (variable.role === 'known') return variable.data.rows === points;
  return variable.role === 'observed' || variable.given.some((given) => isPointwise(given, points));
}

function placedDensities(name: string, variable: Variable, places: Places): PlacedDensity[] {
  const own = 'density' in variable ? variable.density : undefined;
  const taken = new Map<string, number>();
  const placed = (density: Density, isFactor: boolean, number?: number): PlacedDensity => {
    const place = isFactor ? places(name, density.name, number) : places(name);
    return { divergence: `${place.term}.divergence`, ...place, density, isFactor };
  };
  const factors = variable.factors.map((density) => {
    const count = (taken.get(density.name) ?? 0) + 1;
    taken.set(density.name, count);
    return placed(density, true, count);
  });
  return own === undefined ? factors : [placed(own, false), ...factors];
}

function checkUsed(owner: string, nodes: readonly Node[]): void {
  for (const { name, variable, densities } of nodes) {
    const isGiven = nodes.some(
      (other) =>
        other.given.includes(name) ||
        other.plate === name ||
        (other.variable.role === 'observed' && other.variable.source === variable),
    );
    if (isGiven || variable.role === 'embedded' || (densities.length > 0 && variable.role !== 'known')) continue;
    throw new InvalidInputError(
      `Nothing depends on the ${variable.role} variable '${name}' of ${owner}. Give it to another, or leave it out.`,
    );
  }
}

/** Checks that a variable has at most one field: a sum of log densities of fields is not the density of the field with the summed precision. */
function checkFields(owner: string, { name, variable, densities }: Node, nodes: readonly Node[]): void {
  const fields = densities.filter(({ density }) => density.field !== undefined);
  if (fields.length > 1) {
    throw new InvalidInputError(
      `'${name}' of ${owner} has ${fields.length} random fields over its points. Constraints are combined in a single field: put all sets in ` +
        'expect of one maxEntropy({ expect: { … } }).',
    );
  }
  if (variable.role !== 'embedded') {
    // The expected statistics of observed rows may be computed from them beforehand, as in MEU.
    if (variable.role === 'observed' || !fields.some(({ density }) => density.field!.points)) return;
    throw new InvalidInputError(
      `'${name}' of ${owner} has a random field with fixed statistics, so it does not depend on the rows. Omit them, or use embedded.`,
    );
  }
  const [of] = variable.given;
  if (of === undefined && fields.length > 0 && variable.density!.field?.points === undefined) {
    throw new InvalidInputError(
      `'${name}' of ${owner} is read off a random field that speaks of rows, as not all that it expects is given. Give values to all sets, or make it the density of a variable.`,
    );
  }
  if (of === undefined && fields.length > 0) return;
  if (nodes.find((node) => node.variable === of)?.densities.some(({ density }) => density.field !== undefined)) return;
  throw new InvalidInputError(
    `'${name}' of ${owner} is read off a random field, but the variable that it is given has no such density. Give that one maxEntropy({ expect }).`,
  );
}

/** Names of a variable and of all its ancestors. */
export function ancestors({ nodes }: VariableGraph, name: string): Set<string> {
  const found = new Set<string>();
  const visit = (of: string) => {
    if (found.has(of)) return;
    found.add(of);
    for (const given of nodes.find((node) => node.name === of)!.given) visit(given);
  };
  visit(name);
  return found;
}
