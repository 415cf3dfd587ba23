-- The verified e-mail address that the provider named at the latest sign-in, so that people recognise the account.
alter table identity add column email text;
