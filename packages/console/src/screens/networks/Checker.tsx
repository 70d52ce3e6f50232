import { useState } from "react"
import { call } from "../../api/client.ts"
import { Card } from "../../ui/Card.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Failed, Notice } from "../../ui/Notice.tsx"
import { checkAll, type Progress } from "./checkAll.ts"

const nothing: Progress = { done: 0, of: 0, wrong: [], rules: 0 }

const check = (tell: (progress: Progress) => void) =>
  call(({ health, tenants }) =>
    checkAll({ tenants: tenants.list(), check: (id) => health.check({ query: { tenant_id: id } }) }, tell)
  )

/** The checker over the books of every tenant, with how far it is. */
export const Checker = () => {
  const [progress, setProgress] = useState<Progress | null>(null)
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const run = () => {
    setError(null)
    setProgress(null)
    setRunning(true)
    check(setProgress).then(
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
        {wrong.map((text) => (
          <Notice key={text} tone="bad">
            <Foreign text={text} />
          </Notice>
        ))}
        {progress === null || isRunning || error !== null || wrong.length > 0 ? null : (
          <Notice tone="good">All {rules} checks hold.</Notice>
        )}
      </div>
    </Card>
  )
}
