import { eventKinds } from "@bursar/api/webhook/eventKinds"
import { Action } from "../../ui/Action.tsx"
import { ShownOnce } from "../../ui/ShownOnce.tsx"
import { listIn } from "./settingFields.ts"

/** Adds an endpoint for the events from now on. */
export const CreateWebhook = ({ id }: { readonly id: string }) => (
  <Action
    label="New endpoint"
    preview="It gets the events from now on. Its secret is shown once, to be given to the partner."
    ask={[
      { name: "url", label: "URL, https; of a SANDBOX tenant also http" },
      {
        name: "kinds",
        label: `Only these kinds, with commas: ${Object.keys(eventKinds).slice(0, 3).join(", ")} …`,
        optional: true
      }
    ]}
    does="webhooks.create"
    act={({ kinds = "", url = "" }) =>
      (ask) =>
        ask({
          params: { tenant_id: id },
          payload: { url, ...(kinds !== "" && { kinds: listIn(kinds) }) }
        })
      }
    done={({ secret }) => <ShownOnce what="Give the secret to the partner now." secret={secret} />}
  />
)
