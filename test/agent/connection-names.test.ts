import { expect, test } from "vitest";
import { leavesOf } from "../../agent/propose/shape/leaves.ts";
import { connectionLines } from "../../agent/propose/shape/proposal.ts";

function mapped(record: Record<string, unknown>): Record<string, string> {
  const lines = connectionLines(leavesOf([record as never])).slice(1);
  return Object.fromEntries(
    lines.map(
      (line) =>
        line
          .split("  # ")[0]
          ?.trim()
          .split(/: (.*)/) as [string, string],
    ),
  );
}

test.each([
  [
    { ssh_host: "m1.example", ssh_port: 22, ssh_user: "root" },
    { host: "/ssh_host", port: "/ssh_port", user: "/ssh_user" },
  ],
  [
    { reach: { ipAddress: "10.0.0.7", sshPort: "2222" } },
    { host: "/reach/ipAddress", port: "/reach/sshPort" },
  ],
  [
    { http: { host: "web.example", port: 80 }, ssh: { host: "m1.example", port: 22, username: "root" } },
    {
      host: "/ssh/host",
      port: "/ssh/port",
      user: "/ssh/username",
      http_host: "/http/host",
      http_port: "/http/port",
    },
  ],
  [{ jupyter_port: 8888 }, { jupyter_port: "/jupyter_port" }],
  [{ host: "ssh://m1.example:22" }, { host: "/host" }],
  [
    { ssh: "ssh root@m1.example -p 22" },
    {
      host: '{ pointer: /ssh, form: "ssh {user}@{host} -p {port}" }',
      port: '{ pointer: /ssh, form: "ssh {user}@{host} -p {port}" }',
      user: '{ pointer: /ssh, form: "ssh {user}@{host} -p {port}" }',
    },
  ],
  [
    { ip: "10.0.0.7", ssh: "root@10.0.0.7 -p 22" },
    {
      host: "/ip",
      port: '{ pointer: /ssh, form: "{user}@{host} -p {port}" }',
      user: '{ pointer: /ssh, form: "{user}@{host} -p {port}" }',
    },
  ],
  [{ ssh: "see the dashboard" }, { ssh: "/ssh" }],
  [
    { user: "ann@example.com", port: 22 },
    { port: "/port", user: "/user" },
  ],
])("%o is proposed as %o", (record, expected) => expect(mapped(record)).toEqual(expected));
