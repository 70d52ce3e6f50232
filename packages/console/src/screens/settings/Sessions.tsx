import { useRead } from "../../api/hooks.ts"
import { About } from "../../ui/About.tsx"
import { Action } from "../../ui/Action.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"

/** The browsers that are signed in, each of which can be signed out. */
export const Sessions = () => {
  const found = useRead(["sessions"], (api) => api.access.sessions())
  return (
    <Card title="Sessions">
      <Loaded of={found}>
        {({ sessions }) => (
          <Rows
            label="Sessions"
            rows={sessions}
            keyOf={({ id }) => id}
            empty="No browser is signed in."
            columns={[
              {
                title: "Operator",
                of: ({ is_own: isOwn, operator }) => (
                  <>
                    {operator} {isOwn ? <Badge tone="good">this browser</Badge> : null}
                  </>
                )
              },
              { title: "Role", of: ({ role }) => role },
              { title: "Signed in", of: ({ created_at: at }) => <Time at={at} /> },
              { title: "Until", of: ({ expires_at: at }) => <Time at={at} /> },
              {
                title: "",
                of: ({ created_at: begun, expires_at: until, id, is_own: isOwn, operator, role }) => (
                  <About
                    of={[
                      ["Operator", `${operator} (${role})`],
                      ["Signed in", <Time at={begun} />],
                      ["Until", <Time at={until} />],
                      ["Browser", isOwn ? "this one" : "another one"]
                    ]}
                  >
                    <Action
                      label="End"
                      tone="danger"
                      preview={`That browser of ${operator} is signed out at once. What it was doing is refused from now on.`}
                      does="access.endSession"
                      act={() => (ask) => ask({ params: { session_id: id } })}
                    />
                  </About>
                )
              }
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}
