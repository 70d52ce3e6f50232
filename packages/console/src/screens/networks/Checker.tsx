import type { CheckReport } from "@bursar/api/operator/CheckReport"
import { useState } from "react"
import { call } from "../../api/client.ts"
import { Card } from "../../ui/Card.tsx"
import { Failed, Notice } from "../../ui/Notice.tsx"

interface Progress {
  readonly done: number
  readonly of: number
  readonly wrong: ReadonlyArray<string>
  readonly rules: number
}

const nothing: Progress = { done: 0, of: 0, wrong: [], rules: 0 }

const wrongIn = ({ invariants }: CheckReport) =>
  invariants.flatMap(({ first_wrong: wrong, rule }) => (wrong === null ? [] : [`${rule}: ${wrong}`]))

/** Checks the books of one tenant after the other, and tells how far it is. */
const checkAll = async (tell: (progress: Progress) => void): Promise<void> => {
  const { tenants } = await call((api) => api.tenants.list())
  let progress: Progress = { ...nothing, of: tenants.length }
  tell(progress)
  for (const { id } of tenants) {
    // one at a time: each reads all of a tenant's ledger
    // oxlint-disable-next-line no-await-in-loop
    const report = await call((api) => api.health.check({ query: { tenant_id: id } }))
    progress = {
      done: progress.done + 1,
      of: progress.of,
      rules: progress.rules + report.invariants.length,
      wrong: [...new Set([...progress.wrong, ...wrongIn(report)])]
    }
    tell(progress)
  }
}

/** The checker over the books of every tenant, with how far it is. */
export const Checker = () => {
  const [progress, setProgress] = useState<Progress | null>(null)
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const run = () => {
    setError(null)
    setRunning(true)
    checkAll(setProgress).then(
      () => setRunning(false),
      (failure: unknown) => {
        setError(failure)
        setRunning(false)
      }
    )
  }
  const { done, of, rules, wrong } = progress ?? nothing
  return (
    <Card title="Checker">
      <div className="stack">
        <p className="muted">Every balance is worked out anew from the ledger’s entries. It changes nothing.</p>
        <div className="actions">
          <button type="button" onClick={run} disabled={isRunning}>
            Check the books
          </button>
          {isRunning ? <progress aria-label="How far the check is" value={done} max={Math.max(1, of)} /> : null}
          <span role="status">{progress === null ? "" : `${done} of ${of} tenants`}</span>
        </div>
        {error === null ? null : <Failed error={error} />}
        {progress === null || isRunning || error !== null ? null : wrong.length === 0 ? (
          <Notice tone="good">All {rules} checks hold.</Notice>
        ) : (
          wrong.map((text) => (
            <Notice key={text} tone="bad">
              {text}
            </Notice>
          ))
        )}
      </div>
    </Card>
  )
}
