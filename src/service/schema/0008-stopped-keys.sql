-- API keys that stopped because the person who made them left. They are revoked, and an admin can take them over.
alter table api_key add column stopped_at timestamptz(3);
