import { type UseQueryResult, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { call } from "../api/client.ts"
import { isSignedOut } from "../api/problem.ts"
import { Failed, Notice } from "../ui/Notice.tsx"

/** The one-time code of a link, which stands behind `#` so that no log has it; it is taken out of the address at once. */
const codeInAddress = (): string | undefined => {
  const code = new URLSearchParams(location.hash.slice(1)).get("code")
  if (code !== null) history.replaceState(null, "", location.pathname + location.search)
  return code ?? undefined
}

let unusedCode = codeInAddress()

/** The code that the page was opened with, to the first who asks. */
const takeCode = (): string | undefined => {
  const code = unusedCode
  unusedCode = undefined
  return code
}

/** Where a person signs in: by a one-time link, or by a token, which leaves the page with the request. */
export const SignIn = ({ session }: { readonly session: UseQueryResult<unknown, unknown> }) => {
  const queries = useQueryClient()
  const [error, setError] = useState<unknown>(null)
  const [code, setCode] = useState(takeCode)
  const enter = (credential: { readonly code: string } | { readonly token: string }) => {
    setError(null)
    setCode(undefined)
    call((api) => api.signIn.enter({ payload: credential })).then(
      () => queries.invalidateQueries(),
      (failure: unknown) => setError(failure)
    )
  }
  return (
    <main className="sign-in card stack">
      <h1>Bursar</h1>
      {session.error === null || isSignedOut(session.error) ? null : <Failed error={session.error} />}
      {session.data === undefined || error !== null ? null : (
        <Notice>You are signed out. What was refused since then has changed nothing.</Notice>
      )}
      {error === null ? null : <Failed error={error} />}
      {code === undefined ? (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault()
            const token = new FormData(event.currentTarget).get("token")
            event.currentTarget.reset()
            if (typeof token === "string" && token.trim() !== "") enter({ token: token.trim() })
          }}
        >
          <label>
            Your operator token
            <div>
              <input name="token" type="password" autoComplete="off" required />
            </div>
          </label>
          <button type="submit" className="primary">
            Sign in
          </button>
          <p className="muted">
            Or open the link that <span className="mono">bursar console link</span> prints.
          </p>
        </form>
      ) : (
        <>
          <Notice>This link signs you in once.</Notice>
          <button type="button" className="primary" onClick={() => enter({ code })}>
            Sign in
          </button>
        </>
      )}
    </main>
  )
}
