const spoken = new Set(["message", "reason", "detail", "description", "problem"])

const isText = ({ node }) => node.type === "StringLiteral" || node.type === "TemplateLiteral"

const isSpoken = ({ node, parent }) => {
  if (parent?.type === "ObjectProperty") return parent.value === node && spoken.has(parent.key.name)
  if (parent?.type === "NewExpression") return parent.callee.name === "Error"
  if (parent?.type === "CallExpression" && parent.callee.type === "Identifier") {
    return ["refuse", "invalid"].includes(parent.callee.name) && parent.arguments.at(-1) === node
  }
  return false
}

/** What is said to people is judged by people: a test that repeats a sentence proves nothing. */
const shouldIgnore = (path) => (isText(path) && isSpoken(path) ? "a sentence for people" : undefined)

export const strykerPlugins = [{ kind: "Ignore", name: "words", value: { shouldIgnore } }]
