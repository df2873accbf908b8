-- Several frontends share the database (docs/scale.md). What they keep in these two tables is theirs;
-- people may read it.

DROP TABLE partition;

-- Who takes part. Each counts its `beat` up about once a second; one whose beat stands still is dead.
CREATE TABLE frontend (
  name text PRIMARY KEY,
  incarnation bigint NOT NULL,
  beat bigint NOT NULL,
  draining boolean NOT NULL,
  client_address text NOT NULL,
  worker_address text NOT NULL
) WITH (fillfactor = 50);

-- Who serves which queue. Each change of the owner counts `epoch` up, and each commit looks whether
-- it still is the one that its frontend has. `number` is the highest byte of the queue's job ids.
CREATE TABLE partition (
  number bigint PRIMARY KEY,
  queue text NOT NULL UNIQUE,
  epoch bigint NOT NULL,
  owner text NOT NULL,
  owner_incarnation bigint NOT NULL,
  next text NOT NULL,
  version bigint NOT NULL,
  losses bigint NOT NULL,
  paused boolean NOT NULL DEFAULT false, -- what people have asked of the queue
  drains boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
