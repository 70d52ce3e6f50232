import { Cause, Exit, Tracer } from "effect"

/** What holds keys and references: queries, paths (a key of an operation, a node's API key) and headers. */
const holdsSecrets = (attribute: string): boolean =>
  /^(?:url\.(?:full|path|query)|http\.(?:url|target)|http\.(?:request|response)\.header\..*)$/u.test(attribute)

/** The kind of a failure without its words, which may tell what was asked of whom. Interruptions stay what they are. */
const withoutWords = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return exit
  const error = Cause.squash(exit.cause)
  const told = new Error("see the logs")
  told.name = error instanceof Error ? error.name : "Failure"
  delete told.stack
  return Exit.fail(told)
}

/**
 * A tracer whose spans carry no paths, queries, headers or words of errors, whoever makes them: the service for requests that
 * it takes or its clients for those that it makes. The route's template, the method, the host and the status stay.
 */
export const discreet = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const span = tracer.span(options)
      const attribute = span.attribute.bind(span)
      const end = span.end.bind(span)
      return Object.assign(span, {
        attribute: (key: string, value: unknown) => {
          if (!holdsSecrets(key)) attribute(key, value)
        },
        end: (endTime: bigint, exit: Exit.Exit<unknown, unknown>) => end(endTime, withoutWords(exit))
      })
    },
    ...(tracer.context === undefined ? {} : { context: tracer.context })
  })
