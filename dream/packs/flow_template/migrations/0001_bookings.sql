create table bookings (
  key text primary key, owner text not null, people int not null, day date not null, clock text not null
);
grant select, insert on bookings to dream_pack_minimal;
