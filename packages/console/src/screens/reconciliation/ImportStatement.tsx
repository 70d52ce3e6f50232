import { Effect } from "effect"
import { useState } from "react"
import { useRead } from "../../api/hooks.ts"
import { Action } from "../../ui/Action.tsx"
import { Card } from "../../ui/Card.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { ReadFile } from "./ReadFile.tsx"
import { StatementList } from "./StatementList.tsx"
import { type FileStatements, keptTold, requestsOf, statementsTold } from "./statementsTold.ts"

/** A file that was read, and how many of its requests were carried out; null before the first. */
interface Reading {
  readonly statements: FileStatements
  readonly done: number | null
}

const Import = ({
  onImported,
  statements
}: {
  readonly statements: FileStatements
  readonly onImported: (count: number) => void
}) => (
  <Action
    label="Import"
    tone="primary"
    preview={`${statementsTold(statements)} What is in them and not in our books, or the other way round, becomes a break.`}
    does="reconciliation.importStatement"
    act={() => (ask) => {
      const told = (count: number) => Effect.sync(() => onImported(count))
      // in their order: a part that is refused stops those after it
      const each = Effect.forEach(
        requestsOf(statements),
        (payload, index) => Effect.tap(ask({ payload }), () => told(index + 1)),
        { discard: true }
      )
      return Effect.andThen(told(0), each)
    }}
  />
)

/** A provider's own books, read from a file, looked at, and then imported part by part. */
export const ImportStatement = () => {
  const providers = useRead(["providers"], (api) => api.health.providers())
  const [reading, setReading] = useState<Reading | null>(null)
  const places = providers.data?.providers.flatMap(({ place }) => place ?? []) ?? []
  const imported = (statements: FileStatements) => (count: number) =>
    setReading((now) => (now?.statements === statements ? { statements, done: Math.max(now.done ?? 0, count) } : now))
  const parts = reading === null ? 0 : requestsOf(reading.statements).length
  return (
    <Card title="Import a statement">
      {places.length === 0 ? (
        <p className="muted">No provider keeps money: there is nothing to import for.</p>
      ) : (
        <div className="stack">
          <p className="muted">
            A provider’s own books are compared with ours: what is in one and not in the other becomes a break. It takes
            an approver. What was imported already changes nothing.
          </p>
          <ReadFile
            places={places}
            read={(statements) => setReading(statements === null ? null : { statements, done: null })}
          />
          {reading === null ? null : (
            <>
              <Notice>
                <Foreign text={statementsTold(reading.statements)} /> {keptTold(reading.done, parts)}
              </Notice>
              <div className="actions">
                {reading.done === parts ? null : (
                  <Import statements={reading.statements} onImported={imported(reading.statements)} />
                )}
                <progress aria-label="How far it is" value={reading.done ?? 0} max={Math.max(1, parts)} />
                <span role="status">
                  {reading.done ?? 0} of {parts} parts
                </span>
              </div>
            </>
          )}
          {places.map((place) => (
            <StatementList key={place} place={place} />
          ))}
        </div>
      )}
    </Card>
  )
}
