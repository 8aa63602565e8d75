// Possible faults of a source, one at a time: positions in its syntax tree, each with its replacements.
import ts from 'typescript';

const OTHER_OPERATORS = {
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
  '*=': ['/='],
  '/=': ['*='],
};
const OTHER_FUNCTIONS = { min: 'max', max: 'min', some: 'every', every: 'some', floor: 'ceil', ceil: 'floor' };

/**
 * @param text - text of a source
 * @returns positions in the order of the text: `{ start, end, replacements }`, with replacements for text.slice(start, end)
 */
export function faultsOf(text, file = 'source.ts') {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const places = [];
  const add = (node, ...replacements) =>
    places.push({ start: node.getStart(source), end: node.getEnd(), replacements });
  visit(source);
  return places.map((place) => ({ ...place, line: source.getLineAndCharacterOfPosition(place.start).line + 1 }));

  function visit(node) {
    if (isWithoutEffect(node)) return;
    if (ts.isBinaryExpression(node)) {
      const others = OTHER_OPERATORS[node.operatorToken.getText(source)];
      // Text that is put together: no arithmetic.
      if (others !== undefined && !isText(node.left) && !isText(node.right)) add(node.operatorToken, ...others);
    } else if (ts.isPrefixUnaryExpression(node)) {
      const operand = node.operand.getText(source);
      if (node.operator === ts.SyntaxKind.ExclamationToken) add(node, operand);
      if (node.operator === ts.SyntaxKind.MinusToken) {
        // The constant behind a sign is not a separate position.
        add(node, operand);
        if (ts.isNumericLiteral(node.operand)) return;
      }
    } else if (ts.isIfStatement(node)) add(node.expression, 'true', 'false');
    else if (ts.isConditionalExpression(node)) add(node.condition, 'true', 'false');
    else if (ts.isNumericLiteral(node)) add(node, ...otherNumbers(node.text));
    else if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, 'false');
    else if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, 'true');
    else if (ts.isExpressionStatement(node) && hasEffect(node.expression)) add(node, ';');
    else if (ts.isPropertyAccessExpression(node) && Object.hasOwn(OTHER_FUNCTIONS, node.name.text)) {
      if (ts.isCallExpression(node.parent) && node.parent.expression === node)
        add(node.name, OTHER_FUNCTIONS[node.name.text]);
    }
    ts.forEachChild(node, visit);
  }
}

/** Types, imports, and what only words a message. */
function isWithoutEffect(node) {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isTemplateExpression(node) ||
    (ts.isNewExpression(node) && /Error$/.test(node.expression.getText()))
  );
}

function isText(node) {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

function hasEffect(expression) {
  return (
    ts.isCallExpression(expression) ||
    ts.isAwaitExpression(expression) ||
    ts.isPostfixUnaryExpression(expression) ||
    (ts.isBinaryExpression(expression) && /=$/.test(expression.operatorToken.getText()))
  );
}

/** One more, which stays a whole number; none instead of one. */
function otherNumbers(text) {
  const number = Number(text);
  if (number === 0) return ['1'];
  if (number === 1) return ['0', '2'];
  return Number.isInteger(number) ? [`${number + 1}`] : [`${number * 2}`, `${number / 2}`];
}
