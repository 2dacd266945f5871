#!/usr/bin/env perl
# A repository on the Debian package libdancer-plugin-catmandu-oai-perl. The plugin decides everything about the
# protocol; it asks for a store that can be searched, and those of the distribution need a search engine, so this one
# keeps the records in memory and knows the few queries that the plugin sends.
#
# usage: dancer_server.pl --holdings FILE --port-file FILE --folder FOLDER

package Peer::Store::Bag;
use Catmandu::Sane;
use Moo;
use Catmandu::Hits;

extends 'Catmandu::Store::Hash::Bag';

sub translate_sru_sortkeys {$_[1]}

# Clauses, all of which must hold: field, operator and value.
sub translate_cql_query {
    my ($self, $cql) = @_;
    my @clauses;
    for my $clause (split / and /, $cql) {
        $clause =~ s/^\(|\)$//g;
        next if $clause eq 'cql.allRecords';
        $clause =~ /^(\w+) (exact|=|>=|<=) "([^"]*)"$/ or die "a query that this store does not know: $clause";
        push @clauses, [$1, $2, $3];
    }
    \@clauses;
}

sub matches {
    my ($record, $clauses) = @_;
    for my $clause (@$clauses) {
        my ($field, $operator, $value) = @$clause;
        my $order = $record->{$field} cmp $value;
        return 0 unless $operator eq '>=' ? $order >= 0 : $operator eq '<=' ? $order <= 0 : $order == 0;
    }
    1;
}

sub search {
    my ($self, %args) = @_;
    my @found = grep {matches($_, $args{query} // [])} sort {$a->{_id} cmp $b->{_id}} @{$self->to_array};
    my $total = @found;
    my @hits = grep {defined} @found[$args{start} .. $args{start} + $args{limit} - 1];
    Catmandu::Hits->new(start => $args{start}, limit => $args{limit}, total => $total, hits => \@hits);
}

sub searcher        {die 'the plugin does not iterate'}
sub delete_by_query {die 'the plugin does not delete'}

with 'Catmandu::CQLSearchable';

package Peer::Store;
use Catmandu::Sane;
use Moo;

extends 'Catmandu::Store::Hash';

has '+bag_class' => (default => sub {'Peer::Store::Bag'});

package main;
use Catmandu::Sane;
use Catmandu;
use Getopt::Long;

my ($holdings, $port_file, $folder);

# Before Dancer is loaded, which reads the command line too.
BEGIN {
    GetOptions('holdings=s' => \$holdings, 'port-file=s' => \$port_file, 'folder=s' => \$folder) or exit 2;
}

use Dancer;
use IO::Socket::INET;
use Dancer::Plugin::Catmandu::OAI;

# Catmandu and Dancer read settings from where they are run.
chdir $folder or die "$folder: $!";
# The server of Dancer takes no port 0, so a free one is looked for.
my $port = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 1)->sockport;
open my $file, '<', $holdings or die "$holdings: $!";
my $held = from_json(do {local $/; <$file>}, {utf8 => 1});

$INC{'Peer/Store.pm'} = $INC{'Peer/Store/Bag.pm'} = __FILE__;
Catmandu->config->{store}{peer} = {package => '+Peer::Store'};
my $bag = Catmandu->store('peer')->bag('data');
$bag->add({%$_, _id => sprintf('%04d', $_->{number}), datestamp => $_->{stamp}}) for @$held;

my $template = "$folder/oai_dc.tt";
open my $out, '>', $template or die "$template: $!";
print $out <<'TT';
<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <dc:title>[% title | xml %]</dc:title>
  <dc:identifier>[% identifier | xml %]</dc:identifier>
</oai_dc:dc>
TT
close $out;

set server => '127.0.0.1';
set port => $port;
set charset => 'UTF-8';
set startup_info => 0;
set environment => 'production';

oai_provider '/oai',
    store                => 'peer',
    bag                  => 'data',
    datestamp_field      => 'datestamp',
    repositoryName       => 'Peer',
    uri_base             => "http://127.0.0.1:$port/oai",
    adminEmail           => 'peer@example.org',
    deletedRecord        => 'persistent',
    repositoryIdentifier => 'peer.example',
    delimiter            => ':',
    sampleIdentifier     => 'oai:peer.example:0001',
    limit                => 50,
    deleted              => sub {$_[0]{deleted} ? 1 : 0},
    set_specs_for        => sub {[$_[0]{set}]},
    sets                 => [
        {setSpec => 'maps', setName => 'Maps', cql => 'set = "maps"'},
        {setSpec => 'texts', setName => 'Texts &amp; letters', cql => 'set = "texts"'},
    ],
    metadata_formats => [{
        metadataPrefix    => 'oai_dc',
        schema            => 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd',
        metadataNamespace => 'http://www.openarchives.org/OAI/2.0/oai_dc/',
        template          => $template,
    }];

open my $named, '>', "$port_file.partial" or die "$port_file: $!";
print $named "$port\n";
close $named;
rename "$port_file.partial", $port_file or die "$port_file: $!";
dance;
