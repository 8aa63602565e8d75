// @ts-nocheck
/**
 * @license
 * Gradients of @tensorflow/tfjs-core 4.22.0, gathered by scripts/buildGradients.mjs; not to be edited.
 * Copyright 2018-2024 Google LLC. All Rights Reserved. Licensed under the Apache License, Version 2.0,
 * http://www.apache.org/licenses/LICENSE-2.0
 */
import type { GradConfig } from '@tensorflow/tfjs-core';
import { Acos, Acosh, Add, AddN, ArgMax, ArgMin, Asin, Asinh, Atan, Atan2, Atanh, BatchMatMul, BroadcastTo, Cast, Ceil, Concat, Cos, Cosh, Elu, EluGrad, Exp, ExpandDims, Expm1, Floor, FloorDiv, GatherV2, Identity, IsFinite, IsInf, IsNan, Log, Log1p, LogSoftmax, Max, Min, Mod, Multiply, Neg, OneHot, OnesLike, Pack, PadV2, Pow, Prelu, Prod, Relu, Relu6, Reshape, Reverse, Round, Rsqrt, Sigmoid, Sign, Sin, Sinh, Slice, Softmax, Softplus, SplitV, Sqrt, Square, Step, Sub, Tan, Tanh, Transpose, Unpack, UnsortedSegmentSum, ZerosLike, add, cast, concat, cos, cosh, cumprod, div, engine, equal, exp, expandDims, floor, gather, greater, greaterEqual, lessEqual, log, logicalAnd, matMul, maximum, mul, neg, ones, pad, pow, reshape, reverse, scalar, sigmoid, sin, sinh, slice, split, sqrt, square, stack, step, sub, sum, transpose, unsortedSegmentSum, unstack, where, zeros, zerosLike } from "@tensorflow/tfjs-core";
const acosGradConfig = {
	kernelName: Acos,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => {
			const a = square(cast(x, "float32"));
			const b = sqrt(sub(scalar(1), a));
			return neg(div(dy, b));
		} };
	}
};
const acoshGradConfig = {
	kernelName: Acosh,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => {
			const a = sqrt(sub(square(cast(x, "float32")), 1));
			return div(dy, a);
		} };
	}
};
const addNGradConfig = {
	kernelName: AddN,
	saveAllInputs: true,
	gradFunc: (dy, saved) => {
		const ders = {};
		saved.forEach((_, i) => {
			ders[i] = () => dy.clone();
		});
		return ders;
	}
};
/**
* Returns the axes in the output space that should be reduced to produce
* the input space.
*/
function getReductionAxes(inShape, outShape) {
	const result = [];
	for (let i = 0; i < outShape.length; i++) {
		const inDim = inShape[inShape.length - i - 1];
		const outAxis = outShape.length - i - 1;
		const outDim = outShape[outAxis];
		if (inDim == null || inDim === 1 && outDim > 1) result.unshift(outAxis);
	}
	return result;
}
function assertAndGetBroadcastShape(shapeA, shapeB) {
	const l = Math.max(shapeA.length, shapeB.length);
	const result = new Array(l);
	for (let i = 0; i < l; i++) {
		let a = shapeA[shapeA.length - i - 1];
		if (a == null) a = 1;
		let b = shapeB[shapeB.length - i - 1];
		if (b == null) b = 1;
		if (a === 1) result[l - i - 1] = b;
		else if (b === 1) result[l - i - 1] = a;
		else if (a !== b) {
			const errMsg = `Operands could not be broadcast together with shapes ${shapeA} and ${shapeB}.`;
			throw Error(errMsg);
		} else result[l - i - 1] = a;
	}
	return result;
}
const addGradConfig = {
	kernelName: Add,
	inputsToSave: ["a", "b"],
	gradFunc: (dy, saved) => {
		const [a, b] = saved;
		const outShape = assertAndGetBroadcastShape(a.shape, b.shape);
		const derA = () => {
			let res = dy;
			const reduceAxes = getReductionAxes(a.shape, outShape);
			if (reduceAxes.length > 0) res = sum(res, reduceAxes);
			return reshape(res, a.shape);
		};
		const derB = () => {
			let res = dy;
			const reduceAxes = getReductionAxes(b.shape, outShape);
			if (reduceAxes.length > 0) res = sum(res, reduceAxes);
			return reshape(res, b.shape);
		};
		return {
			a: derA,
			b: derB
		};
	}
};
const argMaxGradConfig = {
	kernelName: ArgMax,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => zerosLike(x) };
	}
};
const argMinGradConfig = {
	kernelName: ArgMin,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => zerosLike(x) };
	}
};
const asinGradConfig = {
	kernelName: Asin,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => div(dy, sqrt(sub(scalar(1), square(cast(x, "float32"))))) };
	}
};
const asinhGradConfig = {
	kernelName: Asinh,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => {
			const a = sqrt(add(scalar(1), square(cast(x, "float32"))));
			return div(dy, a);
		} };
	}
};
const atan2GradConfig = {
	kernelName: Atan2,
	inputsToSave: ["a", "b"],
	gradFunc: (dy, saved) => {
		const [a, b] = saved;
		const outShape = assertAndGetBroadcastShape(a.shape, b.shape);
		const derA = () => {
			const d = add(square(a), square(b));
			let res = mul(dy, div(b, d));
			const reduceAxes = getReductionAxes(a.shape, outShape);
			if (reduceAxes.length > 0) res = sum(res, reduceAxes);
			return reshape(res, a.shape);
		};
		const derB = () => {
			const d = add(square(a), square(b));
			let res = neg(mul(dy, div(a, d)));
			const reduceAxes = getReductionAxes(b.shape, outShape);
			if (reduceAxes.length > 0) res = sum(res, reduceAxes);
			return reshape(res, b.shape);
		};
		return {
			a: derA,
			b: derB
		};
	}
};
const atanGradConfig = {
	kernelName: Atan,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => div(dy, add(square(cast(x, "float32")), 1)) };
	}
};
const atanhGradConfig = {
	kernelName: Atanh,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => div(dy, sub(scalar(1), square(cast(x, "float32")))) };
	}
};
const batchMatMulGradConfig = {
	kernelName: BatchMatMul,
	inputsToSave: ["a", "b"],
	gradFunc: (dy, saved, attrs) => {
		const [a, b] = saved;
		const { transposeA, transposeB } = attrs;
		if (!transposeA && !transposeB) return {
			a: () => matMul(dy, b, false, true),
			b: () => matMul(a, dy, true, false)
		};
		else if (!transposeA && transposeB) return {
			a: () => matMul(dy, b, false, false),
			b: () => matMul(dy, a, true, false)
		};
		else if (transposeA && !transposeB) return {
			a: () => matMul(b, dy, false, true),
			b: () => matMul(a, dy, false, false)
		};
		else return {
			a: () => matMul(b, dy, true, true),
			b: () => matMul(dy, a, true, true)
		};
	}
};
const broadcastToGradConfig = {
	kernelName: BroadcastTo,
	gradFunc: (dy, saved, attrs) => {
		const broadCastToAttrs = attrs;
		const inputShape = broadCastToAttrs.inputShape;
		const outputShape = broadCastToAttrs.shape;
		const reps = Array.from(outputShape);
		for (let i = inputShape.length - 1; i >= 0; i--) if (inputShape[i] === outputShape[i]) reps[i] = 1;
		else if (inputShape[i] !== 1) throw new Error(`broadcastTo(): [${inputShape}] cannot be broadcast to [${outputShape}].`);
		const axes = [];
		for (let i = 0; i < reps.length; i++) if (reps[i] > 1) axes.push(i);
		return { x: () => sum(dy, axes, true) };
	}
};
const castGradConfig = {
	kernelName: Cast,
	gradFunc: (dy) => {
		return { x: () => dy.clone() };
	}
};
const ceilGradConfig = {
	kernelName: Ceil,
	gradFunc: (dy) => {
		return { x: () => zerosLike(dy) };
	}
};
/**
* Asserts that the expression is true. Otherwise throws an error with the
* provided message.
*
* ```js
* const x = 2;
* tf.util.assert(x === 2, 'x is not 2');
* ```
*
* @param expr The expression to assert (as a boolean).
* @param msg A function that returns the message to report when throwing an
*     error. We use a function for performance reasons.
*
* @doc {heading: 'Util', namespace: 'util'}
*/
function assert(expr, msg) {
	if (!expr) throw new Error(typeof msg === "string" ? msg : msg());
}
function isInt(a) {
	return a % 1 === 0;
}
function parseAxisParam(axis, shape) {
	const rank = shape.length;
	axis = axis == null ? shape.map((s, i) => i) : [].concat(axis);
	assert(axis.every((ax) => ax >= -rank && ax < rank), () => `All values in axis param must be in range [-${rank}, ${rank}) but got axis ${axis}`);
	assert(axis.every((ax) => isInt(ax)), () => `All values in axis param must be integers but got axis ${axis}`);
	return axis.map((a) => a < 0 ? rank + a : a);
}
const concatGradConfig = {
	kernelName: Concat,
	saveAllInputs: true,
	gradFunc: (dy, saved, attrs) => {
		const shapes = saved.map((t) => t.shape);
		const { axis } = attrs;
		const $axis = parseAxisParam(axis, saved[0].shape)[0];
		const sizeSplits = shapes.map((s) => s[$axis]);
		return split(dy, sizeSplits, $axis).map((t) => () => t);
	}
};
const cosGradConfig = {
	kernelName: Cos,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => mul(neg(sin(cast(x, "float32"))), dy) };
	}
};
const coshGradConfig = {
	kernelName: Cosh,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => mul(sinh(cast(x, "float32")), dy) };
	}
};
const ENGINE = /* @__PURE__ */ engine();
const eluGradConfig = {
	kernelName: Elu,
	outputsToSave: [true],
	gradFunc: (dy, saved) => {
		const [y] = saved;
		const inputs = {
			dy,
			y
		};
		return { x: () => ENGINE.runKernel(EluGrad, inputs) };
	}
};
const expGradConfig = {
	kernelName: Exp,
	outputsToSave: [true],
	gradFunc: (dy, saved) => {
		const [y] = saved;
		return { x: () => mul(dy, y) };
	}
};
const expandDimsGradConfig = {
	kernelName: ExpandDims,
	inputsToSave: ["input"],
	gradFunc: (dy, saved) => {
		const [input] = saved;
		return { input: () => reshape(dy, input.shape) };
	}
};
const expm1GradConfig = {
	kernelName: Expm1,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => mul(dy, exp(x)) };
	}
};
const floorDivGradConfig = {
	kernelName: FloorDiv,
	inputsToSave: ["a", "b"],
	gradFunc: (dy, saved) => {
		const [a, b] = saved;
		const outShape = assertAndGetBroadcastShape(a.shape, b.shape);
		const derA = () => {
			const res = div(dy, cast(b, "float32"));
			const reduceAxes = getReductionAxes(a.shape, outShape);
			if (reduceAxes.length > 0) return reshape(sum(res, reduceAxes), a.shape);
			return res;
		};
		const derB = () => {
			let res = mul(dy, cast(a, "float32"));
			const reduceAxes = getReductionAxes(b.shape, outShape);
			if (reduceAxes.length > 0) res = reshape(sum(res, reduceAxes), b.shape);
			const tmp = square(b);
			return neg(div(res, cast(tmp, "float32")));
		};
		return {
			a: derA,
			b: derB
		};
	}
};
const floorGradConfig = {
	kernelName: Floor,
	gradFunc: (dy) => {
		return { x: () => zerosLike(dy) };
	}
};
/**
* Returns true if the axis specifies the inner most dimensions of the
* array.
*/
function axesAreInnerMostDims(axes, rank) {
	for (let i = 0; i < axes.length; ++i) if (axes[axes.length - i - 1] !== rank - 1 - i) return false;
	return true;
}
function combineLocations(outputLoc, reduceLoc, axes) {
	const rank = outputLoc.length + reduceLoc.length;
	const loc = [];
	let outIdx = 0;
	let reduceIdx = 0;
	for (let dim = 0; dim < rank; dim++) if (axes.indexOf(dim) === -1) loc.push(outputLoc[outIdx++]);
	else loc.push(reduceLoc[reduceIdx++]);
	return loc;
}
function expandShapeToKeepDim(shape, axes) {
	return combineLocations(shape, axes.map((x) => 1), axes);
}
/**
* Returns the axes permutation to be used with `tf.transpose`, if such
* permutation is necessary. Otherwise it returns null. This method is used by
* operations that operate only on inner-most axes.
*/
function getAxesPermutation(axes, rank) {
	if (axesAreInnerMostDims(axes, rank)) return null;
	const result = [];
	for (let i = 0; i < rank; ++i) if (axes.indexOf(i) === -1) result.push(i);
	axes.forEach((axis) => result.push(axis));
	return result;
}
/** Returns the axes permutation that undoes the original permutation. */
function getUndoAxesPermutation(axes) {
	return axes.map((axis, i) => [i, axis]).sort((a, b) => a[1] - b[1]).map((x) => x[0]);
}
const gatherGradConfig = {
	kernelName: GatherV2,
	inputsToSave: ["x", "indices"],
	gradFunc: (dy, saved, attrs) => {
		const [x, indices] = saved;
		const { axis, batchDims } = attrs;
		const parsedAxis = parseAxisParam(axis, x.shape)[0];
		const derXBatch = (x, indices, dy) => {
			return () => {
				const paramsShape = x.shape;
				const indicesSize = indices.size;
				const outerShape = paramsShape.slice(0, parsedAxis);
				const outerDims = outerShape.length;
				const innerShape = paramsShape.slice(axis, paramsShape.length).slice(1);
				const innerDims = innerShape.length;
				const outerAxesIndices = arrayRange(0, outerDims);
				const innerAxesIndices = arrayRange(outerDims + 1, outerDims + 1 + innerDims);
				const valuesShape = arrayConcat([
					outerShape,
					[indicesSize],
					innerShape
				]);
				const values = reshape(dy, valuesShape);
				const reshapedIndices = reshape(indices, [indicesSize]);
				const transposeDims = arrayConcat([
					[outerDims],
					outerAxesIndices,
					innerAxesIndices
				]);
				const valuesTranspose = transpose(values, transposeDims);
				let paramsGrad = unsortedSegmentSum(valuesTranspose, reshapedIndices, x.shape[parsedAxis]);
				const invertTransposeDims = getUndoAxesPermutation(transposeDims);
				paramsGrad = transpose(paramsGrad, invertTransposeDims);
				return paramsGrad;
			};
		};
		if (batchDims === 1) {
			const batchSize = x.shape[0];
			const xBatch = split(x, batchSize, 0);
			const derXBatched = () => {
				const stacked = stack(xBatch.map((x, i) => {
					return derXBatch(x, slice(indices, i, 1), slice(dy, i, 1))();
				}));
				return reshape(stacked, x.shape);
			};
			return {
				x: derXBatched,
				indices: () => indices
			};
		} else return {
			x: derXBatch(x, indices, dy),
			indices: () => indices
		};
	}
};
function arrayRange(start, stop) {
	const result = [];
	for (let i = start; i < stop; ++i) result.push(i);
	return result;
}
function arrayConcat(arrays) {
	const result = [];
	for (let i = 0; i < arrays.length; ++i) for (let j = 0; j < arrays[i].length; ++j) result.push(arrays[i][j]);
	return result;
}
const identityGradConfig = {
	kernelName: Identity,
	gradFunc: (dy) => {
		return { x: () => cast(dy, "float32") };
	}
};
const isFiniteGradConfig = {
	kernelName: IsFinite,
	gradFunc: (dy) => {
		return { x: () => zerosLike(dy) };
	}
};
const isInfGradConfig = {
	kernelName: IsInf,
	gradFunc: (dy) => {
		return { x: () => zerosLike(dy) };
	}
};
const isNanGradConfig = {
	kernelName: IsNan,
	gradFunc: (dy) => {
		return { x: () => zerosLike(dy) };
	}
};
const log1pGradConfig = {
	kernelName: Log1p,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => div(dy, add(x, 1)) };
	}
};
const logSoftmaxGradConfig = {
	kernelName: LogSoftmax,
	inputsToSave: [],
	outputsToSave: [true],
	gradFunc: (dy, saved, attrs) => {
		const [value] = saved;
		const { axis } = attrs;
		return { logits: () => {
			const keepDims = true;
			const softmax = exp(value);
			return sub(dy, mul(sum(dy, axis, keepDims), softmax));
		} };
	}
};
const logGradConfig = {
	kernelName: Log,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => div(dy, cast(x, "float32")) };
	}
};
/**
* Gradient helper function for the min and max operations.
*/
function gradForMinAndMax(dy, y, xOrig, origAxes) {
	if (y.rank < xOrig.rank) y = reshape(y, expandShapeToKeepDim(y.shape, origAxes));
	if (dy.rank < xOrig.rank) dy = reshape(dy, expandShapeToKeepDim(dy.shape, origAxes));
	return { x: () => {
		return mul(dy, cast(equal(xOrig, y), dy.dtype));
	} };
}
const maxGradConfig = {
	kernelName: Max,
	inputsToSave: ["x"],
	outputsToSave: [true],
	gradFunc: (dy, saved, attrs) => {
		const { reductionIndices } = attrs;
		const x = saved[0];
		const y = saved[1];
		const maxGrad = gradForMinAndMax(dy, y, x, parseAxisParam(reductionIndices, x.shape));
		return { x: () => {
			return maxGrad["x"]();
		} };
	}
};
const minGradConfig = {
	kernelName: Min,
	inputsToSave: ["x"],
	outputsToSave: [true],
	gradFunc: (dy, saved, attrs) => {
		const { axis } = attrs;
		const [x, y] = saved;
		const minGrad = gradForMinAndMax(dy, y, x, parseAxisParam(axis, x.shape));
		return { x: () => {
			return minGrad["x"]();
		} };
	}
};
const modGradConfig = {
	kernelName: Mod,
	inputsToSave: ["a", "b"],
	gradFunc: (dy, saved) => {
		const [a, b] = saved;
		const outShape = assertAndGetBroadcastShape(a.shape, b.shape);
		const derA = () => {
			const reduceAxes = getReductionAxes(a.shape, outShape);
			if (reduceAxes.length > 0) return reshape(sum(dy, reduceAxes), a.shape);
			return dy;
		};
		const derB = () => {
			const res = mul(dy, neg(floor(div(a, b))));
			const reduceAxes = getReductionAxes(b.shape, outShape);
			if (reduceAxes.length > 0) return reshape(sum(res, reduceAxes), b.shape);
			return res;
		};
		return {
			a: derA,
			b: derB
		};
	}
};
const multiplyGradConfig = {
	kernelName: Multiply,
	inputsToSave: ["a", "b"],
	gradFunc: (dy, saved) => {
		const [a, b] = saved;
		const outShape = assertAndGetBroadcastShape(a.shape, b.shape);
		const derA = () => {
			const res = mul(dy, cast(b, "float32"));
			const reduceAxes = getReductionAxes(a.shape, outShape);
			if (reduceAxes.length > 0) return reshape(sum(res, reduceAxes), a.shape);
			return res;
		};
		const derB = () => {
			const res = mul(dy, cast(a, "float32"));
			const reduceAxes = getReductionAxes(b.shape, outShape);
			if (reduceAxes.length > 0) return reshape(sum(res, reduceAxes), b.shape);
			return res;
		};
		return {
			a: derA,
			b: derB
		};
	}
};
const negGradConfig = {
	kernelName: Neg,
	gradFunc: (dy) => {
		return { x: () => neg(dy) };
	}
};
const oneHotGradConfig = {
	kernelName: OneHot,
	inputsToSave: ["indices"],
	gradFunc: (dy, saved) => {
		const indices = saved[0];
		return { indices: () => zeros(indices.shape, "float32") };
	}
};
const onesLikeGradConfig = {
	kernelName: OnesLike,
	gradFunc: (dy) => {
		return { x: () => zerosLike(dy) };
	}
};
const packGradConfig = {
	kernelName: Pack,
	saveAllInputs: true,
	gradFunc: (dy, saved, attrs) => {
		const { axis } = attrs;
		return unstack(dy, axis).map((t) => () => t);
	}
};
const padV2GradConfig = {
	kernelName: PadV2,
	inputsToSave: ["x"],
	gradFunc: (dy, saved, attrs) => {
		const x = saved[0];
		const { paddings } = attrs;
		const begin = paddings.map((p) => p[0]);
		return { x: () => slice(dy, begin, x.shape) };
	}
};
const powGradConfig = {
	kernelName: Pow,
	inputsToSave: ["a", "b"],
	outputsToSave: [true],
	gradFunc: (dy, saved) => {
		const [a, b, y] = saved;
		const base = a;
		const exp = b;
		const outShape = assertAndGetBroadcastShape(base.shape, exp.shape);
		const derBase = () => {
			const expFloat = cast(exp, "float32");
			let res = mul(dy, mul(expFloat, pow(base, sub(expFloat, scalar(1)))));
			const reduceAxes = getReductionAxes(base.shape, outShape);
			if (reduceAxes.length > 0) res = sum(res, reduceAxes);
			return reshape(res, base.shape);
		};
		const derExp = () => {
			const condition = greater(base, 0);
			const logBase = where(condition, log(base), zerosLike(base));
			let res = mul(dy, mul(y, logBase));
			const reduceAxes = getReductionAxes(exp.shape, outShape);
			if (reduceAxes.length > 0) res = sum(res, reduceAxes);
			return reshape(res, exp.shape);
		};
		return {
			a: derBase,
			b: derExp
		};
	}
};
const preluGradConfig = {
	kernelName: Prelu,
	inputsToSave: ["x", "alpha"],
	gradFunc: (dy, saved) => {
		const [x, alpha] = saved;
		const mask = greater(x, 0);
		return {
			x: () => where(mask, dy, mul(dy, alpha)),
			alpha: () => {
				let res = where(mask, zerosLike(dy), mul(dy, x));
				const reduceAxes = getReductionAxes(alpha.shape, dy.shape);
				if (reduceAxes.length > 0) res = sum(res, reduceAxes);
				return reshape(res, alpha.shape);
			}
		};
	}
};
const backend_util = {
	getAxesPermutation,
	getUndoAxesPermutation
};
function prodGradFn_(x, dy, axis) {
	const expandedYShape = x.shape.slice();
	expandedYShape[axis] = 1;
	const expandedDy = reshape(dy, expandedYShape);
	const xCumProd = cumprod(x, axis, true, false);
	const xCumRevProd = cumprod(x, axis, true, true);
	const dx = mul(xCumProd, xCumRevProd);
	return mul(expandedDy, dx);
}
function prodsGradFn_(x, dy, axis) {
	const xRank = x.shape.length;
	const finalProdAxis = xRank - axis.length;
	const xPermutation = backend_util.getAxesPermutation(axis, xRank);
	let permutedX = x;
	if (xPermutation != null) permutedX = transpose(x, xPermutation);
	const newShape = permutedX.shape.slice();
	const endPartShape = newShape.splice(xRank - axis.length, axis.length).reduce((p, c) => p * c, 1);
	newShape.push(endPartShape);
	let prodGrad = prodGradFn_(reshape(permutedX, newShape), dy, finalProdAxis);
	prodGrad = reshape(prodGrad, permutedX.shape);
	if (xPermutation != null) {
		const undoPermutation = backend_util.getUndoAxesPermutation(xPermutation);
		prodGrad = transpose(prodGrad, undoPermutation);
	}
	return prodGrad;
}
const prodGradConfig = {
	kernelName: Prod,
	inputsToSave: ["x"],
	gradFunc: (dy, saved, attrs) => {
		const [x] = saved;
		const { axis } = attrs;
		let axisArr = [];
		if (axis === void 0 || axis === null) axisArr = x.shape.map((_, i) => i);
		else if (typeof axis === "number") axisArr = [axis];
		else axisArr = axis;
		return { x: () => prodsGradFn_(x, dy, axisArr) };
	}
};
const relu6GradConfig = {
	kernelName: Relu6,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		const mask = mul(lessEqual(x, 6), step(x));
		return { x: () => mul(dy, cast(mask, "float32")) };
	}
};
const reluGradConfig = {
	kernelName: Relu,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => mul(dy, cast(step(x), "float32")) };
	}
};
const reshapeGradConfig = {
	kernelName: Reshape,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => reshape(dy, x.shape) };
	}
};
const reverseGradConfig = {
	kernelName: Reverse,
	gradFunc: (dy, saved, attrs) => {
		const { dims } = attrs;
		const axes = parseAxisParam(dims, dy.shape);
		return { x: () => reverse(dy, axes) };
	}
};
const roundGradConfig = {
	kernelName: Round,
	gradFunc: (dy) => {
		return { x: () => zerosLike(dy) };
	}
};
const rsqrtGradConfig = {
	kernelName: Rsqrt,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => neg(div(dy, mul(pow(x, 1.5), 2))) };
	}
};
const sigmoidGradConfig = {
	kernelName: Sigmoid,
	outputsToSave: [true],
	gradFunc: (dy, saved) => {
		const [y] = saved;
		return { x: () => mul(dy, mul(y, sub(scalar(1), y))) };
	}
};
const signGradConfig = {
	kernelName: Sign,
	gradFunc: (dy) => {
		return { x: () => zerosLike(dy) };
	}
};
const sinGradConfig = {
	kernelName: Sin,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => mul(cos(cast(x, "float32")), dy) };
	}
};
const sinhGradConfig = {
	kernelName: Sinh,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => mul(cosh(cast(x, "float32")), dy) };
	}
};
function parseSliceParams(x, begin, size) {
	let begin_;
	const xRank = x.shape.length;
	if (typeof begin === "number") begin_ = [begin, ...new Array(xRank - 1).fill(0)];
	else if (begin.length < xRank) begin_ = begin.concat(new Array(xRank - begin.length).fill(0));
	else begin_ = begin.slice();
	begin_.forEach((d) => {
		assert(d !== -1, () => "slice() does not support negative begin indexing.");
	});
	let size_;
	if (size == null) size_ = new Array(xRank).fill(-1);
	else if (typeof size === "number") size_ = [size, ...new Array(xRank - 1).fill(-1)];
	else if (size.length < xRank) size_ = size.concat(new Array(xRank - size.length).fill(-1));
	else size_ = size;
	size_ = size_.map((d, i) => {
		if (d >= 0) return d;
		else {
			assert(d === -1, () => `Negative size values should be exactly -1 but got ${d} for the slice() size at index ${i}.`);
			return x.shape[i] - begin_[i];
		}
	});
	return [begin_, size_];
}
const sliceGradConfig = {
	kernelName: Slice,
	inputsToSave: ["x"],
	gradFunc: (dy, saved, attrs) => {
		const [x] = saved;
		const { begin, size } = attrs;
		const inputShape = x.shape;
		const [begin_, size_] = parseSliceParams(x, begin, size);
		const paddings = [];
		for (let i = 0; i < dy.rank; i++) paddings.push([begin_[i], inputShape[i] - begin_[i] - size_[i]]);
		return { x: () => pad(dy, paddings) };
	}
};
const softmaxGradConfig = {
	kernelName: Softmax,
	outputsToSave: [true],
	gradFunc: (dy, saved, attrs) => {
		const [y] = saved;
		const { dim } = attrs;
		const keepDims = true;
		const dyTimesY = mul(dy, y);
		return { logits: () => sub(dyTimesY, mul(sum(dyTimesY, [dim], keepDims), y)) };
	}
};
const softplusGradConfig = {
	kernelName: Softplus,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => mul(dy, sigmoid(x)) };
	}
};
const splitVGradConfig = {
	kernelName: SplitV,
	gradFunc: (dy, saved, attrs) => {
		const { axis } = attrs;
		return { x: () => concat(dy, axis) };
	}
};
const sqrtGradConfig = {
	kernelName: Sqrt,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => div(dy, mul(sqrt(cast(x, "float32")), 2)) };
	}
};
const squareGradConfig = {
	kernelName: Square,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => mul(dy, mul(cast(x, "float32"), 2)) };
	}
};
const stepGradConfig = {
	kernelName: Step,
	gradFunc: (dy) => {
		return { x: () => zerosLike(dy) };
	}
};
const subGradConfig = {
	kernelName: Sub,
	inputsToSave: ["a", "b"],
	gradFunc: (dy, saved) => {
		const [a, b] = saved;
		const outShape = assertAndGetBroadcastShape(a.shape, b.shape);
		const derA = () => {
			let res = dy;
			const reduceAxes = getReductionAxes(a.shape, outShape);
			if (reduceAxes.length > 0) res = sum(res, reduceAxes);
			return reshape(res, a.shape);
		};
		const derB = () => {
			let res = dy;
			const reduceAxes = getReductionAxes(b.shape, outShape);
			if (reduceAxes.length > 0) res = sum(res, reduceAxes);
			return reshape(neg(res), b.shape);
		};
		return {
			a: derA,
			b: derB
		};
	}
};
const tanGradConfig = {
	kernelName: Tan,
	inputsToSave: ["x"],
	gradFunc: (dy, saved) => {
		const [x] = saved;
		return { x: () => div(dy, square(cos(x))) };
	}
};
const tanhGradConfig = {
	kernelName: Tanh,
	outputsToSave: [true],
	gradFunc: (dy, saved) => {
		const [y] = saved;
		return { x: () => mul(sub(scalar(1), square(y)), dy) };
	}
};
const transposeGradConfig = {
	kernelName: Transpose,
	gradFunc: (dy, saved, attrs) => {
		const { perm } = attrs;
		const undoPerm = getUndoAxesPermutation(perm);
		return { x: () => transpose(dy, undoPerm) };
	}
};
const unpackGradConfig = {
	kernelName: Unpack,
	gradFunc: (dy, saved, attrs) => {
		const { axis } = attrs;
		return { value: () => stack(dy, axis) };
	}
};
const unsortedSegmentSumGradConfig = {
	kernelName: UnsortedSegmentSum,
	inputsToSave: ["segmentIds"],
	gradFunc: (dy, saved) => {
		const [segmentIds] = saved;
		const derX = () => {
			return gatherDropNegatives(dy, segmentIds);
		};
		return { x: derX };
	}
};
function gatherDropNegatives(x, indices) {
	const zeroClippedIndices = maximum(indices, zerosLike(indices));
	const gathered = gather(x, zeroClippedIndices);
	let isPositive = greaterEqual(indices, scalar(0, "int32"));
	const numIters = gathered.rank - isPositive.rank;
	for (let i = 0; i < numIters; ++i) isPositive = expandDims(isPositive, i + 1);
	isPositive = logicalAnd(isPositive, ones(gathered.shape, "bool"));
	const zeroSlice = zerosLike(gathered);
	return where(isPositive, gathered, zeroSlice);
}
const stockGradients: readonly GradConfig[] = [
	acosGradConfig,
	acoshGradConfig,
	addNGradConfig,
	addGradConfig,
	argMaxGradConfig,
	argMinGradConfig,
	asinGradConfig,
	asinhGradConfig,
	atan2GradConfig,
	atanGradConfig,
	atanhGradConfig,
	batchMatMulGradConfig,
	broadcastToGradConfig,
	castGradConfig,
	ceilGradConfig,
	concatGradConfig,
	cosGradConfig,
	coshGradConfig,
	eluGradConfig,
	expGradConfig,
	expandDimsGradConfig,
	expm1GradConfig,
	floorDivGradConfig,
	floorGradConfig,
	gatherGradConfig,
	identityGradConfig,
	isFiniteGradConfig,
	isInfGradConfig,
	isNanGradConfig,
	log1pGradConfig,
	logSoftmaxGradConfig,
	logGradConfig,
	maxGradConfig,
	minGradConfig,
	modGradConfig,
	multiplyGradConfig,
	negGradConfig,
	oneHotGradConfig,
	onesLikeGradConfig,
	packGradConfig,
	padV2GradConfig,
	powGradConfig,
	preluGradConfig,
	prodGradConfig,
	relu6GradConfig,
	reluGradConfig,
	reshapeGradConfig,
	reverseGradConfig,
	roundGradConfig,
	rsqrtGradConfig,
	sigmoidGradConfig,
	signGradConfig,
	sinGradConfig,
	sinhGradConfig,
	sliceGradConfig,
	softmaxGradConfig,
	softplusGradConfig,
	splitVGradConfig,
	sqrtGradConfig,
	squareGradConfig,
	stepGradConfig,
	subGradConfig,
	tanGradConfig,
	tanhGradConfig,
	transposeGradConfig,
	unpackGradConfig,
	unsortedSegmentSumGradConfig,
	{
		kernelName: ZerosLike,
		gradFunc: (dy) => {
			return { x: () => zerosLike(dy) };
		}
	}
];
export { stockGradients };
