import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix } from '../../core/matrix.ts';
import { checkNumbers } from '../../core/observations.ts';
import { isSampled } from '../../core/rowMatrices.ts';
import { isParameter, type Parameter } from '../parameter.ts';
import type { Density } from './density.ts';
import { indexOf, isVariable, type KnownVariable, type ObservedVariable, type Variable } from './variable.ts';

/** Returned by `variables` of a model: variables, and parameters shared by several parts, by name. */
export type Variables = Readonly<Record<string, Variable | Parameter>>;

/** A density or factor in its place: where its term and its parameters are. */
export interface PlacedDensity {
  /** Prefix of its parameters' paths. */
  readonly path: string;
  /** Name of its term. */
  readonly term: string;
  /** Name of the term of what it says once, or of the divergence of its Gaussian rows; places that share a name add up. */
  readonly divergence: string;
  readonly density: Density;
  /** False for the variable's one density. */
  readonly isFactor: boolean;
}

/** A variable in its place. */
export interface Node<V extends Variable = Variable> {
  readonly name: string;
  readonly variable: V;
  /** Names of the variables that it is given. */
  readonly given: readonly string[];
  readonly densities: readonly PlacedDensity[];
  /** True if it has one row a point, so that new points have rows of it too. */
  readonly isPointwise: boolean;
  /** The known variable of whose values it has one row each. */
  readonly plate: string | undefined;
  /** For each variable that it is given, the known variable that says which of its rows a point has; undefined where they are given as they are. */
  readonly picked: readonly (string | undefined)[];
}

/** The variables of a model in an order in which each comes after what it is given. */
export interface VariableGraph {
  readonly nodes: readonly Node[];
  /** Parameters under names of their own. */
  readonly shared: ReadonlyMap<Parameter, string>;
  /** Number of points, N. */
  readonly points: number;
  /** The variable that `fit.latents` shows. */
  readonly shown: Node;
  /** True if its parameters are at places of a named model. */
  readonly isNamed: boolean;
}

/**
 * Where a model keeps the parameters and the term of a variable's density, or of its factor of this name and number (from 1): for models that have other names than
 * those of their variables.
 */
export type Places = (
  variable: string,
  factor?: string,
  number?: number,
) => { readonly path: string; readonly term: string; readonly divergence?: string };

/**
 * Short paths of a named model, by those that follow from its variables: of a variable (`y: 'mapping'`), of its factors (`'x.*': 'priors.*'`), and of the term of its
 * divergence (`'x.divergence': 'divergence'`). Terms are called as paths end.
 */
export type PathTable = Readonly<Record<string, string>>;

/** @param names - those of the variables, whose terms no factor may take */
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

/** Names that mean something else in paths, terms or fits. */
const RESERVED = ['hyper', 'then', 'constructor', 'prototype', '__proto__', 'logDensity', 'latents', 'values'];

/**
 * Orders the variables of a model and checks that they make one.
 *
 * @throws InvalidInputError for what is no variable, a name that is reserved or not one word, a variable that others are given and that was not returned, one
 * that nothing depends on, observations of different numbers of rows, and a model without observations
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
          `'${name}' of ${owner} is given '${names.get(given)}', which has one row a value of '${plate}', but has itself neither one a point nor one a value of '${plate}'.`,
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
    // A model of what is observed alone shows nothing else.
    nodes.find(({ variable }) => variable.role === 'observed');
  if (shown === undefined) {
    throw new InvalidInputError(
      `The variables of ${owner} have no latent, mapped or embedded one with a row a point, and no known one that an observed one is given. Return one.`,
    );
  }
  return { nodes, shared, points, shown, isNamed: places !== undefined };
}

/** Known rows that an observed variable is given are as many as its own. */
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
    `Observed variables of ${owner} have one row a point, but '${names.get(first)}' has ${rowsOf(first)} and '${names.get(other)}' has ${rowsOf(other)}.`,
  );
}

/** Number of points of a model that observes none: of the rows that a latent variable is given, or of a field that reads none. */
function pointsWithout(variables: readonly Variable[]): number | undefined {
  for (const variable of variables) {
    if (variable.role === 'embedded' && variable.density?.field?.points !== undefined)
      return variable.density.field.points;
    if (variable.role !== 'latent' || variable.rows !== undefined) continue;
    for (const given of variable.given) if (given.role === 'known') return given.data.rows;
  }
  return undefined;
}

/** The variable that says which row of a plate each point has. */
function indexVariable(owner: string, name: string, index: string, variables: Variables): KnownVariable {
  const found = variables[index];
  if (isVariable(found) && found.role === 'known') return found;
  const known = Object.keys(variables).filter((each) => (variables[each] as Partial<Variable>).role === 'known');
  throw new InvalidInputError(
    `Option 'rows' of '${name}' of ${owner} is '${index}', which names no known variable${known.length > 0 ? ` (there are ${known.map((each) => `'${each}'`).join(', ')})` : ''}. ` +
      `Return known(…) under that name, N×1, or give a count or 'outputs'.`,
  );
}

/** A known variable by whose values others have rows is one number a point. */
function checkIndices(owner: string, nodes: readonly Node[], points: number): void {
  for (const { name, variable } of nodes) {
    const index = indexOf(variable);
    const of = nodes.find((node) => node.name === index)?.variable;
    if (of?.role !== 'known' || (of.data.rows === points && of.data.columns === 1)) continue;
    throw new InvalidInputError(
      `Option 'rows' of '${name}' of ${owner} is '${index}', which must be ${points}×1, one number a point, but is ${of.data.rows}×${of.data.columns}.`,
    );
  }
}

/** The known variable of whose values a variable has one row each. */
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

/** A sum of log densities of fields is not the density of the field of the summed precision. */
function checkFields(owner: string, { name, variable, densities }: Node, nodes: readonly Node[]): void {
  const fields = densities.filter(({ density }) => density.field !== undefined);
  if (fields.length > 1) {
    throw new InvalidInputError(
      `'${name}' of ${owner} has ${fields.length} random fields over its points. Their constraints hold together in one field only: put all sets in ` +
        'expect of one maxEntropy({ expect: { … } }).',
    );
  }
  if (variable.role !== 'embedded') {
    // What is expected of observed rows may be computed from them beforehand, as MEU does.
    if (variable.role === 'observed' || !fields.some(({ density }) => density.field!.points)) return;
    throw new InvalidInputError(
      `'${name}' of ${owner} has a random field that speaks of no rows, as all that it expects is given. Leave the values out, or take embedded.`,
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

/** Names of a variable and of all that it depends on. */
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

/** Matrices of the same number of rows, side by side. */
export function joinedColumns(parts: readonly Matrix[]): Matrix {
  if (parts.length === 1) return parts[0]!;
  const rows = parts[0]!.rows;
  const columns = parts.reduce((sum, part) => sum + part.columns, 0);
  const result = Matrix.zeros(rows, columns);
  for (let i = 0; i < rows; i++) {
    let at = i * columns;
    for (const part of parts) {
      result.data.set(part.row(i), at);
      at += part.columns;
    }
  }
  return result;
}
