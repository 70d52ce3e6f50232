import type { SolvencyStatementIn } from "@bursar/api/operator/OperatorSolvency"
import { useState } from "react"
import { Amount } from "../../ui/Amount.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Failed } from "../../ui/Notice.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"
import { solvencyStatementOf, statementPlaces } from "./solvencyStatement.ts"

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === "string" ? value.trim() : ""
}

/** The SHA-256 of a file, in lower-case hexadecimal. The file stays in the browser. */
const digestOf = async (file: Blob): Promise<string> => {
  const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer())
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** What the form says; rejects where it is no statement. */
const read = async (form: FormData): Promise<SolvencyStatementIn> => {
  const file = form.get("file")
  const named = file instanceof File ? { file: file.name, sha256: await digestOf(file) } : {}
  const said = ["place", "provider", "currency", "amount", "as_of"].map((name) => [name, textOf(form, name)] as const)
  return solvencyStatementOf({ ...Object.fromEntries(said), ...named })
}

/** Statements of custodians and banks for the next snapshot: what each says, and the digest of its file. They are kept on the page alone until then. */
export const SolvencyStatements = ({
  change,
  statements
}: {
  readonly statements: ReadonlyArray<SolvencyStatementIn>
  readonly change: (statements: ReadonlyArray<SolvencyStatementIn>) => void
}) => {
  const [error, setError] = useState<unknown>(null)
  const add = async (form: HTMLFormElement) => {
    setError(null)
    await read(new FormData(form)).then(
      (statement) => {
        change([...statements, statement])
        form.reset()
      },
      (failure: unknown) => setError(failure)
    )
  }
  return (
    <details>
      <summary>Statements of custodians and banks ({statements.length})</summary>
      <div className="stack">
        <p className="muted">
          Coins and money that stand elsewhere count by their statements alone. The page works out the digest of each
          file, which stays on your computer: keep it for whoever verifies.
        </p>
        <form
          className="filters"
          onSubmit={(event) => {
            event.preventDefault()
            void add(event.currentTarget)
          }}
        >
          <label>
            Place
            <select name="place">
              {statementPlaces.map((place) => (
                <option key={place}>{place}</option>
              ))}
            </select>
          </label>
          <label>
            Who says so
            <input name="provider" required autoComplete="off" />
          </label>
          <label>
            Currency
            <input name="currency" required autoComplete="off" />
          </label>
          <label>
            Amount
            <input name="amount" required autoComplete="off" />
          </label>
          <label>
            As of
            <input name="as_of" required autoComplete="off" placeholder="2026-11-23T11:00:00Z" />
          </label>
          <label>
            Its file
            <input type="file" name="file" required />
          </label>
          <button type="submit">Add the statement</button>
        </form>
        {error === null ? null : <Failed error={error} />}
        <Rows
          label="Statements for the next snapshot"
          rows={statements}
          keyOf={({ currency, place, provider, sha256 }) => `${place}|${provider}|${currency}|${sha256}`}
          empty="None is added."
          columns={[
            { title: "Place", of: ({ place }) => place },
            { title: "Who", kind: "wrap", of: ({ provider }) => provider },
            { title: "Amount", kind: "amount", of: ({ amount, currency }) => <Amount money={{ amount, currency }} /> },
            { title: "As of", of: ({ as_of: at }) => <Time at={at} /> },
            {
              title: "File",
              kind: "wrap",
              of: ({ file, sha256 }) => (
                <span title={sha256}>
                  <Foreign text={file} />
                </span>
              )
            },
            {
              title: "",
              of: (statement) => (
                <button type="button" onClick={() => change(statements.filter((one) => one !== statement))}>
                  Leave out
                </button>
              )
            }
          ]}
        />
      </div>
    </details>
  )
}
