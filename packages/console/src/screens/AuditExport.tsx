import type { AuditEntry } from "@bursar/api/operator/OperatorAudit"
import { useState } from "react"
import { call } from "../api/client.ts"
import { Failed } from "../ui/Notice.tsx"
import { saveFile } from "../ui/saveFile.ts"

/** How many records are asked for at once. */
const pageSize = 200

/** Reads the whole log, newest first, and tells how many records are there. */
const readAll = async (operator: string, tell: (count: number) => void): Promise<ReadonlyArray<AuditEntry>> => {
  const all: Array<AuditEntry> = []
  for (;;) {
    const before = all.at(-1)?.id
    const query = { limit: pageSize, ...(operator !== "" && { operator }), ...(before !== undefined && { before }) }
    // each page begins where the one before has ended
    // oxlint-disable-next-line no-await-in-loop
    const { entries } = await call((api) => api.audit.list({ query }))
    all.push(...entries)
    tell(all.length)
    if (entries.length < pageSize) return all
  }
}

/** The records of the log as a file, one JSON object a line, hashes included: whoever has it can verify the chain. */
export const AuditExport = ({ operator }: { readonly operator: string }) => {
  const [count, setCount] = useState<number | null>(null)
  const [error, setError] = useState<unknown>(null)
  const run = () => {
    setError(null)
    setCount(0)
    readAll(operator, setCount).then(
      (entries) => {
        const lines = entries.toReversed().map((entry) => `${JSON.stringify(entry)}\n`)
        saveFile(`audit${operator === "" ? "" : `-${operator}`}.jsonl`, lines, "application/jsonl")
        setCount(null)
      },
      (failure: unknown) => {
        setError(failure)
        setCount(null)
      }
    )
  }
  return (
    <>
      <button type="button" onClick={run} disabled={count !== null}>
        Export
      </button>
      <span role="status">{count === null ? "" : `${count} records are there`}</span>
      {error === null ? null : <Failed error={error} />}
    </>
  )
}
