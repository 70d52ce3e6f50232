import type { StatementPart } from "@bursar/api/operator/OperatorStatement"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { call } from "../../api/client.ts"
import { useRead } from "../../api/hooks.ts"
import { Card } from "../../ui/Card.tsx"
import { Failed, Notice } from "../../ui/Notice.tsx"
import { ReadFile } from "./ReadFile.tsx"
import { StatementList } from "./StatementList.tsx"

/** The requests of a file that was read, and how many of them were carried out. */
interface Reading {
  readonly requests: ReadonlyArray<StatementPart>
  readonly done: number
}

const linesOf = (requests: ReadonlyArray<StatementPart>): number =>
  requests.reduce((sum, { lines }) => sum + lines.length, 0)

const told = (requests: ReadonlyArray<StatementPart>): string =>
  [...new Map(requests.map((one) => [one.id, one])).values()]
    .map(({ currencies, from, id, to }) => `${id} (${currencies.join(", ")}, ${from} to ${to})`)
    .join("; ")

/** A provider's own books, read from a file, looked at, and then imported part by part. */
export const ImportStatement = () => {
  const providers = useRead(["providers"], (api) => api.health.providers())
  const queries = useQueryClient()
  const [reading, setReading] = useState<Reading | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isRunning, setRunning] = useState(false)
  const places = providers.data?.providers.flatMap(({ place }) => place ?? []) ?? []
  const run = async ({ requests }: Reading) => {
    setError(null)
    setRunning(true)
    try {
      for (const [index, payload] of requests.entries()) {
        // in their order: a part that is refused stops those after it
        // oxlint-disable-next-line no-await-in-loop
        await call((api) => api.reconciliation.importStatement({ payload }))
        setReading({ requests, done: index + 1 })
      }
    } catch (failure) {
      setError(failure)
    }
    setRunning(false)
    await queries.invalidateQueries()
  }
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
          <ReadFile places={places} read={(requests) => setReading({ requests, done: 0 })} />
          {reading === null ? null : (
            <>
              <Notice>
                {linesOf(reading.requests)} lines in {told(reading.requests)}. Nothing is kept yet.
              </Notice>
              <div className="actions">
                <button
                  type="button"
                  className="primary"
                  disabled={isRunning || reading.done === reading.requests.length}
                  onClick={() => void run(reading)}
                >
                  Import
                </button>
                <progress aria-label="How far it is" value={reading.done} max={Math.max(1, reading.requests.length)} />
                <span role="status">
                  {reading.done} of {reading.requests.length} parts
                </span>
              </div>
            </>
          )}
          {error === null ? null : <Failed error={error} />}
          {places.map((place) => (
            <StatementList key={place} place={place} />
          ))}
        </div>
      )}
    </Card>
  )
}
