/** Rules of the house that oxlint has no rule for; `.oxlintrc.jsonc` says where they hold. */

const isFunction = (node) => /Function/.test(node.type)

const functionAround = (node) => (node === null || isFunction(node) ? node : functionAround(node.parent))

/** A plain function may catch what a synchronous call throws; in a generator the error would leave its type. */
const noTryInEffect = {
  create: (context) => ({
    TryStatement: (node) => {
      if (functionAround(node.parent)?.generator) {
        context.report({ node, message: "Use Effect.try or Effect.tryPromise, which keep the error in the type." })
      }
    }
  })
}

/** A callback handed to Effect.tryPromise, or to a library, may be async; what we name and export is an Effect. */
const noNamedAsync = {
  create: (context) => {
    const check = (node) => {
      const isCallback = node.parent.type === "CallExpression" && node.parent.arguments.includes(node)
      const isTry = node.parent.type === "Property" && node.parent.key.name === "try"
      if (node.async && !isCallback && !isTry) {
        context.report({ node, message: "Make it an Effect; wrap a library's promise with Effect.tryPromise." })
      }
    }
    return { ArrowFunctionExpression: check, FunctionExpression: check, FunctionDeclaration: check }
  }
}

const noAmbientTime = {
  create: (context) => {
    const report = (node) =>
      context.report({ node, message: "Take the time from Clock or DateTime.now, so that tests can set it." })
    return {
      NewExpression: (node) => {
        if (node.callee.name === "Date" && node.arguments.length === 0) report(node)
      },
      CallExpression: (node) => {
        if (node.callee.name === "Date") report(node)
      }
    }
  }
}

const namesOf = (declaration) =>
  declaration.declarations === undefined
    ? [declaration.id?.name]
    : declaration.declarations.map((declarator) => declarator.id.name)

/** Overloads, and the companion type of a value, are told by the first docstring of that name. */
const documentedExports = {
  create: (context) => {
    const documented = new Set()
    return {
      ExportNamedDeclaration: (node) => {
        if (node.declaration === null) return
        const names = namesOf(node.declaration).filter((name) => name !== undefined)
        const comment = context.sourceCode.getCommentsBefore(node).at(-1)
        if (comment?.type === "Block" && comment.value.startsWith("*")) {
          names.forEach((name) => documented.add(name))
          return
        }
        for (const name of names) {
          if (!documented.has(name)) context.report({ node, message: `Say in a docstring what ${name} is.` })
        }
      }
    }
  }
}

const eventName = /^[a-z]+(?:_[a-z]+)*(?:\.[a-z]+(?:_[a-z]+)*)+$/
const logMethods = new Set(["log", "logTrace", "logDebug", "logInfo", "logWarning", "logError", "logFatal"])

const isEventName = (node) =>
  node?.type === "ConditionalExpression"
    ? isEventName(node.consequent) && isEventName(node.alternate)
    : node?.type === "Literal" && eventName.test(node.value)

/** Only a cause stands beside the name: loggers keep it out of the message. */
const isCause = (node) =>
  (node.type === "Identifier" && node.name === "cause") ||
  (node.type === "CallExpression" && (node.callee.object?.name === "Cause" || /[cC]ause$/.test(node.callee.name ?? "")))

/** A line of the log is found by its fixed event name; what varies is an annotation. */
const logEvents = {
  create: (context) => ({
    CallExpression: (node) => {
      const { object, property } = node.callee
      if (object?.name !== "Effect" || !logMethods.has(property?.name)) return
      const [name, cause, ...others] = node.arguments
      if (!isEventName(name)) {
        context.report({ node, message: 'Log a fixed event name such as "deposit.detected"; annotate what varies.' })
      }
      if (others.length > 0 || (cause !== undefined && !isCause(cause))) {
        context.report({ node, message: "Log nothing beside the event name but a Cause; annotate what varies." })
      }
    }
  })
}

export default {
  meta: { name: "house" },
  rules: {
    "no-try-in-effect": noTryInEffect,
    "no-named-async": noNamedAsync,
    "log-events": logEvents,
    "no-ambient-time": noAmbientTime,
    "documented-exports": documentedExports
  }
}
