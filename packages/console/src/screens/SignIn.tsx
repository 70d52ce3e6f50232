import type { OperatorSession } from "@bursar/api/operator/SessionGroup"
import { type UseQueryResult, useQueryClient } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { call } from "../api/client.ts"
import { tellOtherWindows } from "../api/otherWindows.ts"
import { isSignedOut } from "../api/problem.ts"
import { Failed, Notice } from "../ui/Notice.tsx"
import { entitle } from "../ui/Titled.tsx"
import { forgetLinkCode, useLinkCode } from "./linkCode.ts"

/** Where a person signs in: by a one-time link, or by a token, which leaves the page with the request. A link is asked about whoever is signed in: it may be somebody else's. */
export const SignIn = ({ session }: { readonly session: UseQueryResult<typeof OperatorSession.Type, unknown> }) => {
  const queries = useQueryClient()
  useEffect(() => entitle("Sign in"), [])
  const [error, setError] = useState<unknown>(null)
  const linked = useLinkCode()
  const [tried, setTried] = useState<string>()
  const code = linked === tried ? undefined : linked
  const isOver = isSignedOut(session.error)
  const signedIn = isOver ? undefined : session.data
  const enter = (credential: { readonly code: string } | { readonly token: string }) => {
    setError(null)
    setTried(linked)
    call((api) => api.signIn.enter({ payload: credential })).then(
      () => {
        tellOtherWindows()
        return queries.invalidateQueries().then(forgetLinkCode)
      },
      (failure: unknown) => setError(failure)
    )
  }
  return (
    <main className="sign-in card stack">
      <h1>Bursar</h1>
      {session.error === null || isOver ? null : <Failed error={session.error} />}
      {session.data === undefined || !isOver || error !== null ? null : (
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
      {signedIn === undefined ? null : (
        <>
          <p>{signedIn.name} is signed in in this browser. If you sign in, you take their place.</p>
          <button type="button" onClick={forgetLinkCode}>
            Go on as {signedIn.name}
          </button>
        </>
      )}
    </main>
  )
}
