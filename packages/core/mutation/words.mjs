const spoken = new Set(["message", "reason", "detail", "description", "problem"])

const isText = ({ node }) => node.type === "StringLiteral" || node.type === "TemplateLiteral"

/** A text that is given back, and has words in it. Codes and keys have none. */
const isSentence = ({ node, parent }) => {
  const parts = node.type === "StringLiteral" ? [node.value] : node.quasis.map(({ value }) => value.raw)
  const isGivenBack =
    parent?.type === "ReturnStatement" ||
    (parent?.type === "ConditionalExpression" && parent.test !== node) ||
    (parent?.type === "ArrowFunctionExpression" && parent.body === node)
  return isGivenBack && parts.some((part) => /[a-z]{2}.* | .*[a-z]{2}/u.test(part))
}

const isSpoken = ({ node, parent }) => {
  if (parent?.type === "ObjectProperty") return parent.value === node && spoken.has(parent.key.name)
  if (parent?.type === "NewExpression") return parent.callee.name === "Error"
  if (parent?.type === "CallExpression" && parent.callee.type === "Identifier") {
    return (
      [
        "conflict",
        "invalid",
        "problem",
        "refuse",
        "refused",
        "staleTransaction",
        "strange",
        "wrong",
        "wrongPlan"
      ].includes(parent.callee.name) && parent.arguments.at(-1) === node
    )
  }
  return false
}

/** What a port, a span or a command is called in logs and traces: no rule asks for it. */
const isName = ({ node, parent, parentPath }) => {
  if (node.type !== "StringLiteral") return false
  if (node.value.startsWith("@bursar/core/")) return true
  if (parent?.type === "CallExpression")
    return parent.callee.object?.name === "Effect" && parent.callee.property.name.startsWith("fn")
  const isField = parent?.type === "ObjectProperty" && parent.value === node && parent.key.name === "name"
  return isField && parentPath.parent.properties.some(({ key }) => key?.name === "decide")
}

/** Nothing comes of what a command declares to read and does not look at. */
const isUnread = ({ node, parent }) =>
  node.type === "ArrayExpression" &&
  node.elements.length === 0 &&
  parent?.type === "ObjectProperty" &&
  parent.key.name === "reads"

/** What is said to people is judged by people: a test that repeats a sentence proves nothing. */
const shouldIgnore = (path) => {
  if (isUnread(path)) return "reads nothing"
  if (!isText(path)) return undefined
  if (isSpoken(path) || isSentence(path)) return "a sentence for people"
  return isName(path) ? "a name in reports" : undefined
}

export const strykerPlugins = [{ kind: "Ignore", name: "words", value: { shouldIgnore } }]
